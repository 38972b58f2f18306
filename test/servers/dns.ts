// A DNS server for tests: it answers from tables, and misbehaves on demand (RFC 1035, section 4).

import { createSocket } from "node:dgram";

/** Types of records. */
const types = { 1: "A", 12: "PTR", 28: "AAAA" } as const;

export interface DnsServer {
  /** Address and port, as resolvers take them. */
  readonly address: string;
  /** Questions so far, such as `PTR 1.2.0.192.in-addr.arpa`. */
  readonly asked: string[];
  /** Values by questions; a question without a row has no such name (NXDOMAIN). */
  readonly rows: Record<string, readonly string[]>;
  /** Response code of all answers, such as 2 for a failure; 0 for the usual ones. */
  code: number;
  /** Answers wait for it. */
  hold: Promise<void> | undefined;
  close(): void;
}

const labels = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** The data of a record. */
function dataOf(type: string, value: string): Buffer {
  if (type === "PTR") return labels(value);
  if (type === "A") return Buffer.from(value.split(".").map(Number));
  const [head = "", tail = ""] = value.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill("0");
  return Buffer.from(
    [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, "0")).join(""),
    "hex",
  );
}

/** Reads the name and the type of the question of a message, and where the question ends. */
function questionOf(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const parts: string[] = [];
  let at = 12;
  for (let length = message[at] as number; length > 0; length = message[at] as number) {
    parts.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: parts.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** Starts a server. */
export async function startDns(rows: Record<string, readonly string[]> = {}): Promise<DnsServer> {
  const socket = createSocket("udp4");
  await new Promise<void>((listening) => void socket.bind(0, "127.0.0.1", listening));
  const server: DnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    asked: [],
    rows,
    code: 0,
    hold: undefined,
    close: () => void socket.close(),
  };
  socket.on("message", async (message, from) => {
    const { name, type, end } = questionOf(message);
    const word = types[type as keyof typeof types];
    const question = `${word} ${name}`;
    server.asked.push(question);
    await server.hold;
    const values = server.code === 0 ? (server.rows[question] ?? []) : [];
    const isName = Object.keys(server.rows).some((other) => other.endsWith(` ${name}`));
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(server.code || isName ? 0x8180 | server.code : 0x8183, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(values.length, 6);
    const records = values.map((value) => {
      const data = dataOf(word, value);
      const record = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
      return Buffer.concat([record, data]);
    });
    socket.send(Buffer.concat([head, message.subarray(12, end), ...records]), from.port, from.address);
  });
  return server;
}
