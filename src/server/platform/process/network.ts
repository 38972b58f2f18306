// The addresses of this machine in its networks.

import { networkInterfaces } from "node:os";

/** Interfaces to containers and virtual machines of this machine, by the beginning of a name. */
const inner = /^(docker|br-|veth|virbr|vmnet|vboxnet|vethernet|cni|podman|lxc)/i;

/** Addresses that are returned at most. */
const max = 3;

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Returns the addresses by which other machines reach this one: those of IPv4, or those of IPv6 if there are
 * none. `interfaces`: those of the system by default.
 */
export function networkAddresses(interfaces: Interfaces = interfacesOf()): readonly string[] {
  const outer = Object.entries(interfaces)
    .filter(([name]) => !inner.test(name))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ internal, address }) => !internal && !/^(fe[89ab].:|169\.254\.)/i.test(address));
  const addressesOf = (family: string) =>
    outer.filter((each) => each.family === family).map(({ address }) => address);
  const [v4, v6] = [addressesOf("IPv4"), addressesOf("IPv6")];
  return (v4.length > 0 ? v4 : v6).slice(0, max);
}

/** Returns none if the system or the runtime does not permit to read them. */
function interfacesOf(): Interfaces {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
}
