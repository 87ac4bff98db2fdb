import { LRUCache } from 'lru-cache'
import { CAPTURED, UNTRACKED } from './changes/captured.ts'

const tags = new LRUCache<string, readonly string[]>({ max: 2000 })
const targets = new LRUCache<string, readonly string[]>({ max: 2000 })
const CAPTURED_NAMES = Object.keys(CAPTURED)
const NAME = '["`]?\\w+["`]?'
/** A table, or several with commas, each perhaps with another name. */
const ONE = `${NAME}(?:\\s+as\\s+${NAME})?`
const TABLES = new RegExp(`\\b(?:from|join|into|update)\\s+(?:only\\s+)?(${ONE}(?:\\s*,\\s*${ONE})*)`, 'gi')
/** What a statement changes, but for what it is about to do where rows are there already. */
const TARGETS = new RegExp(
  `\\b(?:insert\\s+into|replace\\s+into|merge\\s+into|update|delete\\s+from)\\s+(?:only\\s+)?(${NAME})`,
  'gi',
)
const NO_TARGETS = /\bfor\s+(?:no\s+key\s+)?update\b|\bdo\s+update\s+set\b/gi
/** What stands for a query in front of the others. */
const CTES = new RegExp(`(${NAME})\\s*(?:\\([^()]*\\)\\s*)?as\\s+(?:(?:not\\s+)?materialized\\s+)?\\(`, 'gi')

/**
 * The tables that SQL names, as tags, but for those of the store's own housekeeping. A few too many do no harm, so that no
 * parser is needed.
 */
export function tagsOfTables(sql: string): readonly string[] {
  let found = tags.get(sql)
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
    found = Array.from(tables, (table) => `table:${table}`)
    tags.set(sql, found)
  }
  return found
}

const bare = (name: string) => name.replaceAll(/["`]/g, '')

/** The tables whose rows SQL changes; none for SQL that is no such statement. */
export function targetsOf(sql: string): readonly string[] {
  let found = targets.get(sql)
  if (found === undefined) {
    const isChange = /^\s*(?:insert|update|delete|with|replace|merge)\b/i.test(sql)
    found = isChange ? targetsOfScript(sql) : []
    targets.set(sql, found)
  }
  return found
}

/** The tables whose rows are changed by statements among others. */
export function targetsOfScript(sql: string): readonly string[] {
  const names = Array.from(sql.replaceAll(NO_TARGETS, '').matchAll(TARGETS), ([, name]) => bare(name!))
  return [...new Set(names)].filter((name) => !UNTRACKED.has(name))
}
