/**
 * Submitted fields by the parts of their names: `acf.field_1.0.field_2`. Names with brackets would have at most five
 * levels.
 */
export type FormTree = string | readonly string[] | FormBranch
export interface FormBranch {
  readonly [part: string]: FormTree
}

type Writable = Record<string, FormTree>

/** Returns the fields whose names begin with a prefix and a dot; null if the form has none. */
export function treeOf(form: Readonly<Record<string, unknown>>, prefix: string): FormBranch | null {
  const root = newBranch()
  for (const [name, value] of Object.entries(form)) {
    if (!name.startsWith(`${prefix}.`)) continue
    const parts = name.slice(prefix.length + 1).split('.')
    const last = parts.pop()!
    const branch = parts.reduce<Writable>((parent, part) => {
      const child = parent[part]
      if (isBranch(child)) return child
      return (parent[part] = newBranch())
    }, root)
    branch[last] = typeof value === 'string' ? value.replaceAll('\r\n', '\n') : listOf(value)
  }
  return Object.keys(root).length > 0 ? root : null
}

/** Returns an empty branch, whose parts cannot be names of the prototype. */
export const newBranch = (parts: FormBranch = {}): Writable => Object.assign(Object.create(null) as Writable, parts)

export const isBranch = (tree: FormTree | undefined): tree is Writable =>
  typeof tree === 'object' && !Array.isArray(tree)

/** Returns a part of a name for any key. */
export const partOf = (key: string): string =>
  key.replace(/[^\w-]/g, (letter) => `~${letter.codePointAt(0)!.toString(16)}`)

export const textAt = (tree: FormTree | undefined, part: string): string => {
  const value = isBranch(tree) ? tree[part] : undefined
  return typeof value === 'string' ? value : ''
}

/** Returns the branches below a branch whose parts are numbers, in their order. */
export function rowsAt(tree: FormTree | undefined, part: string): FormBranch[] {
  const rows = isBranch(tree) ? tree[part] : undefined
  if (!isBranch(rows)) return []
  const numbers = Object.keys(rows).filter((key) => /^\d{1,5}$/.test(key))
  return numbers
    .toSorted((one, other) => Number(one) - Number(other))
    .flatMap((key) => (isBranch(rows[key]) ? [rows[key]] : []))
}

/** Returns a branch of numbered branches. */
export const rowsBranch = (rows: readonly FormBranch[]): FormBranch =>
  newBranch(Object.fromEntries(rows.map((row, index) => [String(index), row])))

function listOf(value: unknown): string[] {
  const all = typeof value === 'object' && value !== null ? Object.values(value) : []
  return all.filter((one) => typeof one === 'string')
}
