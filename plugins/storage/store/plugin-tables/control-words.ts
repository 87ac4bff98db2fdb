/** Comments, quoted texts and quoted names, which contain no statements. */
const QUOTED = /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|"(?:[^"]|"")*"/g
const CONTROL = /^(?:begin|commit|rollback|abort|savepoint|release|end|start\s+transaction|prepare\s+transaction)\b/i
/** Statements with a body that ends with `end`. */
const BODY = /\bcreate\b[^;]*\b(?:trigger|function|procedure)\b/i

/** Returns the first statement of a script that begins or ends a transaction, or undefined. */
export function controlIn(script: string): string | undefined {
  const bare = script.replaceAll(QUOTED, ' ')
  const found = bare
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => CONTROL.test(statement))
  return found.find((statement) => !/^end\b/i.test(statement) || !BODY.test(bare))
}
