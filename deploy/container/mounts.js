// The disk of the service in the image on workerd: a folder for each mount, and config.yaml, the
// configuration. That is /config/smalti.yaml if it is mounted; else /images is served if anything is in it,
// and the sample otherwise, with the caches in /cache if that can be written. Speaks as a disk service of
// workerd does.

import cachesInFiles from "caches.yaml";

const folders = ["images", "config", "cache"];

const folderEntries = folders.map((name) => ({ name, type: "directory" }));

export default {
  async fetch(request, mounts) {
    const { pathname } = new URL(request.url);
    const [, top, ...below] = pathname.split("/");
    if (top === "") return Response.json([...folderEntries, { name: "config.yaml", type: "file" }]);
    if (top === "config.yaml")
      return new Response(await configuration(mounts), {
        headers: { "content-type": "application/octet-stream" },
      });
    if (!folders.includes(top)) return new Response("Not Found", { status: 404 });
    return mounts[top].fetch(new Request(`http://disk/${below.join("/")}`, request));
  },
};

async function configuration({ images, config, cache }) {
  const mounted = await config.fetch("http://disk/smalti.yaml");
  if (mounted.ok) return mounted.text();
  const names = await (await images.fetch("http://disk/")).json();
  const sources = names.length > 0 ? "sources: [{ name: files, type: filesystem, root: /images }]\n" : "";
  return sources + ((await isWritable(cache)) ? cachesInFiles : "cache: { origin: { backend: heap } }\n");
}

/** Whether a file can be written into a folder: tries it. */
async function isWritable(folder) {
  try {
    const written = await folder.fetch("http://disk/writable", { method: "PUT", body: "" });
    await folder.fetch("http://disk/writable", { method: "DELETE" });
    return written.ok;
  } catch {
    return false;
  }
}
