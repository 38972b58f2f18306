// Mistakes in sessions, cookies and viewers.

import type { Mistake } from "./mistake.ts";

export const sessions: readonly Mistake[] = [
  {
    what: "tokens that outlive sessions",
    plant({ auth }) {
      auth.session_ttl = "2m";
    },
    key: "auth.token_ttl",
    says: /is longer than session_ttl \(2m\)/,
  },
  {
    what: "tokens of a profile that outlive sessions",
    plant({ auth }) {
      auth.profiles.click.token_ttl = "48h";
    },
    key: "auth.profiles.click.token_ttl",
    says: /is longer than session_ttl/,
  },
  {
    what: "sessions of seconds",
    plant(config) {
      Object.assign(config.auth, { session_ttl: "45s", token_ttl: "40s" });
    },
    key: "auth.session_ttl",
    says: /logs readers out after 45s/,
  },
  {
    what: "sessions of years",
    plant({ auth }) {
      auth.session_ttl = "17520h";
    },
    key: "auth.session_ttl",
    says: /longer than the 400 days/,
  },
  {
    what: "tokens of a second",
    plant({ auth }) {
      auth.token_ttl = "1s";
    },
    key: "auth.token_ttl",
    says: /tokens end before viewers use them/,
  },
  {
    what: "a lifetime without a unit",
    plant({ auth }) {
      auth.session_ttl = 3600;
    },
    key: "auth.session_ttl",
    says: /expected/,
  },
  {
    what: "sessions in memory beside a cache in Redis",
    plant(config) {
      config.cache = { info: { backend: "redis", addr: "127.0.0.1:1" } };
    },
    key: "auth.session.backend",
    says: /is heap, which several servers cannot share, but cache\.info is in Redis/,
  },
  {
    what: "a store that is not chosen",
    plant({ auth }) {
      auth.session = { redis: { addr: "127.0.0.1:1" } };
    },
    key: "auth.session.redis",
    says: /is ignored because auth\.session\.backend is heap; write backend: redis/,
  },
  {
    what: "a folder that is not chosen",
    plant({ auth }) {
      auth.session = { path: "./sessions" };
    },
    key: "auth.session.path",
    says: /write backend: filesystem/,
  },
  {
    what: "a folder of sessions that is not there",
    plant({ auth }) {
      auth.session = { backend: "filesystem", path: "./gone" };
    },
    key: "auth.session.path",
    says: /gone/,
  },
  {
    what: "Redis without its address",
    plant({ auth }) {
      auth.session = { backend: "redis" };
    },
    key: "auth.session.redis",
    says: /expected redis/,
  },
  {
    what: "logins over http",
    plant(config) {
      config.base_url = "http://images.example.org";
    },
    key: "base_url",
    says: /logins need https/,
  },
  {
    what: "a cookie that is not sent to the service",
    plant({ auth }) {
      auth.cookie = { path: "/images" };
    },
    key: "auth.cookie.path",
    says: /only below \/images.*no login counts/,
  },
  {
    what: "a cookie for the host with a path",
    plant(config) {
      config.base_url = "https://images.example.org/iiif-server";
      config.auth.cookie = { name: "__Host-reader" };
    },
    key: "auth.cookie.name",
    says: /browsers refuse a cookie/,
  },
  {
    what: "a viewer over http",
    plant({ auth }) {
      auth.cors.token_origins = ["http://viewer.example.org"];
    },
    key: "auth.cors.token_origins.0",
    says: /is http/,
  },
  {
    what: "a viewer with a path",
    plant({ auth }) {
      auth.cors.token_origins = ["https://viewer.example.org/mirador"];
    },
    key: "auth.cors.token_origins.0",
    says: /without a path/,
  },
  {
    what: "all viewers",
    plant({ auth }) {
      auth.cors.token_origins = ["*"];
    },
    key: "auth.cors.token_origins.0",
    says: /expected an origin/,
  },
  {
    what: "a viewer that may not ask the probe",
    plant({ auth }) {
      auth.cors.probe_origins = ["https://other.example.org"];
    },
    key: "auth.cors.token_origins.0",
    says: /add it to probe_origins/,
  },
  {
    what: "viewers that may have what no click opens",
    plant({ auth }) {
      auth.cors.clickthrough_origins = ["*"];
      for (const profile of Object.values(auth.profiles) as { pattern: string }[])
        if (profile.pattern === "clickthrough")
          Object.assign(profile, { pattern: "external", access_service: { backend: "header" } });
    },
    key: "auth.cors.clickthrough_origins",
    says: /no profile has the pattern clickthrough/,
  },
];
