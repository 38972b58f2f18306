// The Kubernetes manifests as kustomize makes them: valid by the schemas, without unknown fields, with
// selectors that select the pods, and an ingress that lets nobody reach the operator's pages.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { installPackages, packagedProgram } from "../../scripts/packages.mjs";
import { statePaths } from "../../src/iiif/content-state/mounts.ts";
import { viewPath } from "../../src/iiif/view-mounts.ts";
import { loadConfig } from "../../src/server/config/reading/load.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const manifests = fileURLToPath(new URL("../../deploy/kubernetes/", import.meta.url));
const kustomize = (folder: string) =>
  spawnSync("kubectl", ["kustomize", join(manifests, folder)], { encoding: "utf8" });
/** In CI its absence fails the tests. */
const hasKubectl = kustomize("base").error === undefined || process.env.CI !== undefined;

// biome-ignore lint/suspicious/noExplicitAny: documents of many kinds, whose types the test checks
type Document = any;

function rendered(folder: string): Document[] {
  const { status, stdout, stderr } = kustomize(folder);
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

/** Returns the module in which the packages define the kind of a document. */
function moduleOf({ apiVersion, kind }: Document): string {
  const isOfOperator = apiVersion.startsWith("monitoring.coreos.com/");
  const name = isOfOperator ? "@kubernetes-models/prometheus-operator" : "kubernetes-models";
  return `${name}/${apiVersion}/${kind}`;
}

describe.skipIf(!hasKubectl).each(["base", "example"])("the manifests in %s", (folder) => {
  let documents: Document[];
  beforeAll(() => {
    installPackages("test/deploy");
    documents = rendered(folder);
  });
  const only = (kind: string, name = "smalti"): Document =>
    documents.find((document) => document.kind === kind && document.metadata.name === name);
  const workloads = () => documents.filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet");

  test("are valid by the schemas of Kubernetes and of the Prometheus operator", async () => {
    const kinds = documents.map(({ kind }) => kind);
    const expected = [
      "Deployment",
      "Service",
      "HorizontalPodAutoscaler",
      "PodDisruptionBudget",
      "NetworkPolicy",
    ];
    expect(kinds).toEqual(expect.arrayContaining(expected));
    for (const document of documents) {
      const { [document.kind]: Kind } = await import(moduleOf(document));
      new Kind(document).validate();
    }
    const { Deployment } = await import(moduleOf(only("Deployment")));
    const wrong = structuredClone(only("Deployment"));
    wrong.spec.template.spec.containers[0].ports[0].containerPort = "8080";
    expect(() => new Deployment(wrong).validate()).toThrow(/containerPort/);
  });

  test("have no field that Kubernetes does not know", () => {
    const file = join(here, `node_modules/.cache/${folder}.ts`);
    mkdirSync(join(file, ".."), { recursive: true });
    const check = (values: readonly Document[]) => {
      const lines = values.map(
        (value, i) =>
          `export const d${i}: import("${moduleOf(value)}").I${value.kind} = ${JSON.stringify(value)};`,
      );
      writeFileSync(file, lines.join("\n"));
      const options = [
        "--ignoreConfig",
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--module",
        "nodenext",
        "--target",
        "es2022",
      ];
      const tsc = packagedProgram("scripts/check", "tsc");
      return spawnSync(tsc, [...options, "--types", "", file], { encoding: "utf8" }).stdout;
    };
    const misspelt = structuredClone(only("Deployment"));
    misspelt.spec.template.spec.containers[0].readynessProbe = {};
    const faults = check([...documents, misspelt]);
    rmSync(file);
    expect(faults.trim().split("\n")).toEqual([expect.stringContaining("readynessProbe")]);
  });

  test("select the pods that they are meant for", () => {
    const labels = only("Deployment").spec.template.metadata.labels;
    const selectors = [
      only("Deployment").spec.selector.matchLabels,
      only("Deployment").spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
      only("Service").spec.selector,
      only("PodDisruptionBudget").spec.selector.matchLabels,
      only("NetworkPolicy").spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) {
      expect(Object.keys(selector)).not.toEqual([]);
      expect(labels).toMatchObject(selector);
    }
    expect(only("HorizontalPodAutoscaler").spec.scaleTargetRef).toEqual({
      apiVersion: only("Deployment").apiVersion,
      kind: "Deployment",
      name: "smalti",
    });
  });

  test("meet the standard for pods that is called restricted, with a root that cannot be written", () => {
    for (const { spec } of workloads()) {
      const { securityContext, containers, automountServiceAccountToken } = spec.template.spec;
      expect([
        securityContext.runAsNonRoot,
        securityContext.seccompProfile.type,
        automountServiceAccountToken,
      ]).toEqual([true, "RuntimeDefault", false]);
      for (const container of containers)
        expect([container.securityContext, container.resources.limits.memory]).toEqual([
          {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
          expect.any(String),
        ]);
    }
  });

  test("let a pod stop as long as its requests may take", () => {
    const { terminationGracePeriodSeconds, containers } = only("Deployment").spec.template.spec;
    const pause = containers[0].lifecycle.preStop.sleep.seconds;
    const timeout = 15; // the default of shutdown_timeout
    expect(terminationGracePeriodSeconds).toBeGreaterThan(pause + timeout);
  });
});

describe.skipIf(!hasKubectl)("the example", () => {
  let documents: Document[];
  beforeAll(() => {
    documents = rendered("example");
  });
  const only = (kind: string, name = "smalti"): Document =>
    documents.find((document) => document.kind === kind && document.metadata.name === name);

  /** The kind of path that an ingress passes on, by the rules of Kubernetes for `Exact` and `Prefix`. */
  function passes(path: string): boolean {
    const [{ http }] = only("Ingress").spec.rules;
    return http.paths.some(({ path: own, pathType }: { path: string; pathType: string }) =>
      pathType === "Exact" ? path === own : path === own || path.startsWith(`${own}/`),
    );
  }

  test.each([
    "/",
    "/favicon.ico",
    "/robots.txt",
    "/mcp",
    "/static/page/page.css",
    "/iiif/3/a/info.json",
    "/iiif/2/a/info.json",
    "/iiif/presentation/3/a/manifest",
    "/iiif/auth/login/staff",
    viewPath,
    `${viewPath}/a`,
    ...Object.values(statePaths),
  ])("lets readers to %s", (path) => {
    expect(passes(path)).toBe(true);
  });

  test.each([
    "/admin",
    "/admin/",
    "/admin/config",
    "/metrics",
    "//admin/",
    "/%61dmin/",
    "/ADMIN/",
    "/./admin/",
    "/\\admin/",
  ])("blocks %s for everybody", (path) => {
    expect(passes(path)).toBe(false);
  });

  test("has a configuration that smalti accepts, with the included Redis", async () => {
    const [map] = documents.filter(({ kind }) => kind === "ConfigMap");
    const text: string = map.data["smalti.yaml"];
    const { config, problems } = loadConfig(text, {});
    expect([problems, config?.metrics.enabled]).toEqual([undefined, true]);
    const { name, namespace } = only("Service", "smalti-redis").metadata;
    expect([name, namespace]).toEqual(["smalti-redis", "smalti"]);
    const addresses = [...text.matchAll(/addr: "([^"]+)"/g)].map(([, address]) => address);
    expect(addresses).toEqual(Array(3).fill(`${name}:6379`));
    expect(only("Deployment").spec.template.spec.volumes).toContainEqual({
      name: "config",
      configMap: { name: map.metadata.name, optional: true },
    });
  });

  test("is scraped at the service's port", () => {
    const { selector, endpoints } = only("ServiceMonitor").spec;
    expect(only("Service").metadata.labels).toMatchObject(selector.matchLabels);
    expect(only("Service").spec.ports.map(({ name }: { name: string }) => name)).toContain(endpoints[0].port);
  });
});
