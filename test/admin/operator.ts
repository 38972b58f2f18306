// The tests' operator: the environment of the service, and the headers of requests.

export const operator = { SERVICE_ADMIN_USER: "ada", SERVICE_ADMIN_PASS: "gr\u00fcn:er Stein" };

/** The field Authorization of HTTP Basic (RFC 7617). */
export const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;

export const asOperator = { Authorization: basic("ada", "gr\u00fcn:er Stein") };
