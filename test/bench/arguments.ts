/**
 * Validations per second of an argument set like that of a list of posts: 25 declared, 8 given. Prints also the rate of a plain
 * loop over the same schemas, and the ratio.
 */
import { checkArguments } from '../../plugins/requests/arguments/index.ts'
import type { Arguments, ArgumentSchema } from '../../kernel/index.ts'

const ids: ArgumentSchema = { type: 'array', items: { type: 'integer' }, default: [] }
const date: ArgumentSchema = { type: 'string', format: 'date-time' }
const terms: ArgumentSchema = {
  type: ['object', 'array'],
  oneOf: [
    { type: 'array', items: { type: 'integer' } },
    {
      type: 'object',
      properties: { terms: ids, include_children: { type: 'boolean', default: false } },
      additionalProperties: false,
    },
  ],
}
const args: Arguments = {
  context: { type: 'string', enum: ['view', 'embed', 'edit'], default: 'view' },
  page: { type: 'integer', default: 1, minimum: 1 },
  per_page: { type: 'integer', default: 10, minimum: 1, maximum: 100 },
  search: { type: 'string' },
  after: date,
  modified_after: date,
  author: ids,
  author_exclude: ids,
  before: date,
  modified_before: date,
  exclude: ids,
  include: ids,
  offset: { type: 'integer' },
  order: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
  orderby: {
    type: 'string',
    enum: ['author', 'date', 'id', 'include', 'modified', 'parent', 'slug', 'title'],
    default: 'date',
  },
  search_columns: { type: 'array', items: { type: 'string', enum: ['title', 'content', 'excerpt'] }, default: [] },
  slug: { type: 'array', items: { type: 'string' } },
  status: { type: 'array', items: { type: 'string', enum: ['publish', 'future', 'draft', 'any'] }, default: 'publish' },
  tax_relation: { type: 'string', enum: ['AND', 'OR'] },
  categories: terms,
  categories_exclude: terms,
  tags: terms,
  tags_exclude: terms,
  sticky: { type: 'boolean' },
  format: { type: 'string' },
}
const input: Record<string, unknown> = Object.assign(Object.create(null), {
  context: 'view',
  page: '2',
  per_page: '20',
  search: 'hello world',
  order: 'asc',
  orderby: 'title',
  sticky: 'false',
  offset: '10',
})
const withLists: Record<string, unknown> = {
  ...input,
  include: '1,2,3',
  status: ['publish'],
  after: '2025-01-05T10:00:00',
  categories: '3,4',
}

/** The same rules, looked up for each value. */
function plainLoop(all: Arguments, values: Record<string, unknown>): Record<string, unknown> | null {
  const out: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(all)) {
    const value = values[name]
    if (value === undefined) continue
    const cast = plainCast(value, schema)
    if (cast === undefined) return null
    out[name] = cast
  }
  return out
}

function plainCast(value: unknown, schema: ArgumentSchema): unknown {
  let cast = value
  if (schema.type === 'string') cast = typeof value === 'string' ? value : undefined
  else if (schema.type === 'integer') {
    if (typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value)) cast = Number(value)
    if (!Number.isInteger(cast)) cast = undefined
  } else if (schema.type === 'boolean') {
    cast = value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : undefined
  } else if (schema.type === 'array') {
    const list = Array.isArray(value) ? value : String(value).split(',')
    const items = list.map((item) => plainCast(item, schema.items ?? {}))
    cast = items.includes(undefined) ? undefined : items
  }
  if (schema.enum !== undefined && !schema.enum.includes(cast)) return undefined
  if (typeof cast === 'number') {
    if (schema.minimum !== undefined && cast < schema.minimum) return undefined
    if (schema.maximum !== undefined && cast > schema.maximum) return undefined
  }
  return cast
}

/** Returns calls per second: the best of five runs of 200 ms. */
function rate(call: () => unknown): number {
  let best = 0
  for (let run = 0; run < 5; run++) {
    const start = performance.now()
    let calls = 0
    while (performance.now() - start < 200) {
      for (let i = 0; i < 1000; i++) call()
      calls += 1000
    }
    best = Math.max(best, (calls / (performance.now() - start)) * 1000)
  }
  return best
}

const start = performance.now()
void checkArguments(args, input, null)
console.log(`compiling the set at first use   ${(performance.now() - start).toFixed(1)} ms`)
const compiled = rate(() => checkArguments(args, input, null))
const plain = rate(() => plainLoop(args, input))
const lists = rate(() => checkArguments(args, withLists, null))
const perSecond = (value: number) => `${Math.round(value).toLocaleString('en-US')}/s`.padStart(14)
console.log(`25 declared, 8 given             ${perSecond(compiled)}`)
console.log(`the same by a plain loop         ${perSecond(plain)}   ratio ${(compiled / plain).toFixed(2)}`)
console.log(`12 given, lists and a date too   ${perSecond(lists)}`)
