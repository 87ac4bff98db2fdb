import type { Connection } from '../backend.ts'

/** The word of a database without the option `word`. */
const FIRST_WORD = 'svc'
/** Beginnings of tags that are followed by the name of a content type or a taxonomy. */
const TAGS = ['posts:type=', 'posts:', 'terms:taxonomy=']

/**
 * Stores names of content types and taxonomies that began with the word of the site in the form of `StoredNames`, which
 * is the same for every word, and removes the option with the word. Triggers update the copies of these columns.
 */
export async function removeWordFromTypes(connection: Connection): Promise<void> {
  const stored = await connection.first(`select value from options where name = 'word'`, [])
  const word = stored === undefined ? FIRST_WORD : String(JSON.parse(String(stored['value'])))
  // Part of the SQL below; no config has accepted another word.
  if (!/^[a-z][a-z0-9]*$/.test(word)) throw new Error(`The option "word" of the database is ${JSON.stringify(word)}.`)
  const prefix = `${word}_`
  const columns = [
    ['posts', 'type'],
    ['terms', 'taxonomy'],
    ['indexed_fields', 'subtype'],
    ['changes', 'type'],
  ] as const
  for (const [table, column] of columns)
    await connection.exec(`update ${table} set ${column} = '~' || substr(${column}, ${prefix.length + 1})
      where substr(${column}, 1, ${prefix.length}) = '${prefix}'`)
  const replaced = (sql: string, before: string) => `replace(${sql}, '${before}${prefix}', '${before}~')`
  const typeIn = (column: string) => `${column} = ${replaced(column, '"type":"')}`
  await connection.exec(`
    update changes set tags = ${TAGS.reduce(replaced, 'tags')}, ${typeIn('before')}, ${typeIn('after')}
      where tags like '%${prefix}%';
    update webhooks set types = ${replaced('types', '"')};
    delete from options where name = 'word'`)
}
