// Sources in AssemblyScript as tests look at them: the numbers that they export, and the signatures of a
// module.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const textOf = (file: string) => readFileSync(file, "utf8");

/**
 * The exported constants of a file by name, for values of numbers, constants before them, and + - * << >>.
 */
export function constantsOf(file: string): Map<string, number> {
  const constants = new Map<string, number>();
  for (const [, name, value] of textOf(file).matchAll(/^export const (\w+): \w+ = ([^;]+);/gm)) {
    const numbers = value!.replace(/[A-Z]\w*/g, (other) => String(constants.get(other)));
    if (!/^[-\d\sx+*<>()a-f]+$/.test(numbers)) throw new Error(`${file}: ${name} is ${value}`);
    constants.set(name!, Number(new Function(`return ${numbers}`)()));
  }
  return constants;
}

/**
 * Returns the parameter names of functions that a module's entry exports, from itself or from files next to
 * it.
 */
export function exportsOf(entry: string): Map<string, readonly string[]> {
  const text = textOf(entry);
  const functions = functionsOf(text, /^export function (\w+)\(([^)]*)\)/gm);
  for (const [, names, from] of text.matchAll(/^export \{([^}]*)\} from "([^"]+)";/gm)) {
    const others = exportsOf(join(dirname(entry), `${from}.ts`));
    for (const name of names!.split(",").map((each) => each.trim()))
      if (others.has(name)) functions.set(name, others.get(name)!);
  }
  return functions;
}

/** Returns the parameters of the methods of an interface in a file of ours, by name. */
export function methodsOf(file: string, name: string): Map<string, readonly string[]> {
  const body = new RegExp(`interface ${name}\\b[^{]*\\{(.*?)\\n\\}`, "s").exec(textOf(file))?.[1];
  if (body === undefined) throw new Error(`${file} has no interface ${name}`);
  return functionsOf(body, /^ {2}(\w+)\(([^)]*)\):/gm);
}

function functionsOf(text: string, pattern: RegExp): Map<string, readonly string[]> {
  const found = [...text.matchAll(pattern)];
  return new Map(
    found.map(([, name, parameters]) => [
      name!,
      parameters!
        .split(",")
        .map((each) => each.split(":")[0]!.trim())
        .filter((each) => each !== ""),
    ]),
  );
}
