import { isBranch, newBranch, rowsAt, rowsBranch, textAt, type FormBranch, type FormTree } from './form-tree.ts'

/** Verbs of the buttons of a group's form. */
const VERBS = ['add', 'apply', 'copy', 'down', 'remove', 'up'] as const

/**
 * Applies a button of the form to its tree.
 * @param change verb and place: `up:fields.2`, `add:fields.0.layouts`
 * @returns the changed tree; the same tree for an unknown change
 */
export function changedTree(tree: FormBranch, change: string): FormBranch {
  const [, verb = '', path = ''] = /^([a-z]+):([a-z0-9.]{1,300})$/.exec(change) ?? []
  const parts = path.split('.')
  if (!(VERBS as readonly string[]).includes(verb)) return tree
  if (verb === 'add') return withRows(tree, parts, (rows) => [...rows, newRow(parts.at(-1)!)])
  const index = Number(parts.pop())
  return withRows(tree, parts, (rows) => {
    const row = rows[index]
    if (row === undefined) return rows
    const others = rows.toSpliced(index, 1)
    // Shows the settings of the chosen type.
    if (verb === 'apply') return rows.with(index, newBranch({ ...row, shown: textAt(row, 'type'), open: '1' }))
    if (verb === 'remove') return others
    if (verb === 'copy') return rows.toSpliced(index + 1, 0, copyOf(row))
    return others.toSpliced(verb === 'up' ? Math.max(0, index - 1) : index + 1, 0, row)
  })
}

/** Returns a tree with changed rows at a path, whose parts are names of lists and indexes in turns. */
function withRows(
  tree: FormBranch,
  [name = '', index, ...below]: readonly string[],
  change: (rows: FormBranch[]) => FormBranch[],
): FormBranch {
  const rows = rowsAt(tree, name)
  if (index === undefined) return newBranch({ ...tree, [name]: rowsBranch(change(rows)) })
  const changed = rows.map((row, at) => (at === Number(index) ? withRows(row, below, change) : row))
  return newBranch({ ...tree, [name]: rowsBranch(changed) })
}

/** Returns a new row of a list, which the form shows opened. */
function newRow(list: string): FormBranch {
  if (list === 'rules') return newBranch({ param: 'post_type', operator: '==', value: '' })
  if (list === 'groups') return newBranch({ rules: rowsBranch([newRow('rules')]) })
  if (list === 'layouts') return newBranch({ open: '1' })
  return newBranch({ type: 'text', shown: 'text', open: '1' })
}

/** Returns a copy of a field or layout without keys; it remembers the field whose further settings it has. */
function copyOf(row: FormBranch): FormBranch {
  const withoutKeys = (tree: FormTree): FormTree => {
    if (!isBranch(tree)) return tree
    const entries = Object.entries(tree).map(([name, value]) => [name, withoutKeys(value)] as const)
    const copy = newBranch(Object.fromEntries(entries))
    const key = textAt(tree, 'key')
    return key === '' ? copy : newBranch({ ...copy, key: '', from: key })
  }
  const name = textAt(row, 'name')
  return newBranch({ ...(withoutKeys(row) as FormBranch), name: name === '' ? '' : `${name}_copy`, open: '1' })
}
