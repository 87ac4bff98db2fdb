import { LRUCache } from 'lru-cache'
import { CAPTURED, UNTRACKED } from './changes/captured.ts'

/** What a statement reads or writes. */
export interface SqlTables {
  /** Names of tables, but for those of the store's own housekeeping. */
  readonly tables: readonly string[]
  /** The same as tags. */
  readonly tags: readonly string[]
}

const known = new LRUCache<string, SqlTables>({ max: 2000 })
const CAPTURED_NAMES = Object.keys(CAPTURED)
const NAME = '["`]?\\w+["`]?'
/** A table, or several with commas, each perhaps with another name. */
const ONE = `${NAME}(?:\\s+as\\s+${NAME})?`
const TABLES = new RegExp(`\\b(?:from|join|into|update)\\s+(?:only\\s+)?(${ONE}(?:\\s*,\\s*${ONE})*)`, 'gi')
/** What stands for a query in front of the others. */
const CTES = new RegExp(`(${NAME})\\s*(?:\\([^()]*\\)\\s*)?as\\s+(?:(?:not\\s+)?materialized\\s+)?\\(`, 'gi')

/** The tables that SQL names. A few too many do no harm, so that no parser is needed. */
export function tablesOf(sql: string): SqlTables {
  let found = known.get(sql)
  if (found === undefined) {
    const words = new Set(sql.match(/\w+/g))
    const tables = new Set(CAPTURED_NAMES.filter((name) => words.has(name)))
    const ctes = new Set(Array.from(sql.matchAll(CTES), ([, name]) => bare(name!)))
    for (const [, list] of sql.matchAll(TABLES)) {
      for (const one of list!.split(',')) {
        const name = bare(one.trim().split(/\s/)[0]!)
        if (!UNTRACKED.has(name) && !ctes.has(name) && name !== 'set') tables.add(name)
      }
    }
    found = { tables: [...tables], tags: [...tables].map((table) => `table:${table}`) }
    known.set(sql, found)
  }
  return found
}

const bare = (name: string) => name.replaceAll(/["`]/g, '')
