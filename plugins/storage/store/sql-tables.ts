import { LRUCache } from 'lru-cache'
import { CAPTURED, UNTRACKED } from './changes/captured.ts'

const tags = new LRUCache<string, readonly string[]>({ max: 2000 })
const targets = new LRUCache<string, readonly string[]>({ max: 2000 })
const CAPTURED_NAMES = Object.keys(CAPTURED)
const NAME = '["`]?\\w+["`]?'
/** One or several tables separated by commas, each with an optional alias. */
const ONE = `${NAME}(?:\\s+as\\s+${NAME})?`
const TABLES = new RegExp(`\\b(?:from|join|into|update)\\s+(?:only\\s+)?(${ONE}(?:\\s*,\\s*${ONE})*)`, 'gi')
/** The targets of writing statements; `do update set` and `for update` are removed first. */
const TARGETS = new RegExp(
  `\\b(?:insert\\s+into|replace\\s+into|merge\\s+into|update|delete\\s+from)\\s+(?:only\\s+)?(${NAME})`,
  'gi',
)
const NO_TARGETS = /\bfor\s+(?:no\s+key\s+)?update\b|\bdo\s+update\s+set\b/gi
/** Common table expressions. */
const CTES = new RegExp(`(${NAME})\\s*(?:\\([^()]*\\)\\s*)?as\\s+(?:(?:not\\s+)?materialized\\s+)?\\(`, 'gi')

/**
 * Returns tags of the tables that SQL names, without the store's own tables. It is no parser: a few tags too many do no
 * harm.
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

/** Returns the tables that a statement writes; empty if it does not write. */
export function targetsOf(sql: string): readonly string[] {
  let found = targets.get(sql)
  if (found === undefined) {
    const isChange = /^\s*(?:insert|update|delete|with|replace|merge)\b/i.test(sql)
    found = isChange ? targetsOfScript(sql) : []
    targets.set(sql, found)
  }
  return found
}

/** Returns the tables that the statements of a script write. */
export function targetsOfScript(sql: string): readonly string[] {
  const names = Array.from(sql.replaceAll(NO_TARGETS, '').matchAll(TARGETS), ([, name]) => bare(name!))
  return [...new Set(names)].filter((name) => !UNTRACKED.has(name))
}
