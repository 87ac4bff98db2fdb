/** What says nothing of statements: comments, texts and names in quotes. */
const QUOTED = /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|"(?:[^"]|"")*"/g
const CONTROL = /^(?:begin|commit|rollback|abort|savepoint|release|end|start\s+transaction|prepare\s+transaction)\b/i
/** Bodies of statements, which end with `end`. */
const BODY = /\bcreate\b[^;]*\b(?:trigger|function|procedure)\b/i

/** The statement of a script that begins or ends a transaction, of which it is to be a part; undefined without any. */
export function controlIn(script: string): string | undefined {
  const bare = script.replaceAll(QUOTED, ' ')
  const found = bare
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => CONTROL.test(statement))
  return found.find((statement) => !/^end\b/i.test(statement) || !BODY.test(bare))
}
