import { randomBytes } from 'node:crypto'
import { newBranch, rowsAt, rowsBranch, textAt, type FormBranch, type FormTree } from './form-tree.ts'
import { CONTAINERS, SETTINGS, type SettingKind } from './group-settings.ts'

/** A group or field in the JSON of Advanced Custom Fields; maps keep the order of choices. */
export type Definition = Readonly<Record<string, unknown>>

/** Returns the form of a group. */
export function treeOfGroup(group: Definition): FormBranch {
  return newBranch({
    title: textOf(group['title']),
    active: flagOf(group['active'] ?? true),
    rest: flagOf(group['show_in_rest']),
    description: textOf(group['description']),
    order: textOf(group['menu_order']),
    groups: rowsBranch(
      valuesOf(group['location']).map((rules) =>
        newBranch({
          rules: rowsBranch(
            definitionsOf(rules).map(({ operator, param, value }) =>
              newBranch({ param: textOf(param), operator: textOf(operator), value: textOf(value) }),
            ),
          ),
        }),
      ),
    ),
    fields: treeOfFields(group['fields']),
  })
}

const treeOfFields = (fields: unknown): FormBranch => rowsBranch(definitionsOf(fields).map(treeOfField))

function treeOfField(field: Definition): FormBranch {
  const type = textOf(field['type'])
  const layouts = definitionsOf(field['layouts']).map((layout) =>
    newBranch({
      key: textOf(layout['key']),
      name: textOf(layout['name']),
      label: textOf(layout['label']),
      fields: treeOfFields(layout['sub_fields']),
    }),
  )
  const settings = (SETTINGS[type] ?? []).map(([name, kind]) => [name, treeOfSetting(field[name], kind)] as const)
  return newBranch({
    ...Object.fromEntries(settings),
    key: textOf(field['key']),
    label: textOf(field['label']),
    name: textOf(field['name']),
    type,
    shown: type,
    instructions: textOf(field['instructions']),
    required: flagOf(field['required']),
    fields: treeOfFields(field['sub_fields']),
    layouts: rowsBranch(layouts),
  })
}

function treeOfSetting(value: unknown, kind: SettingKind): FormTree {
  if (kind === 'flag') return flagOf(value)
  if (kind === 'choices') return choicesOf(value).join('\n')
  if (kind !== 'list') return textOf(value)
  return [value].flat().length === 1 && typeof value !== 'object'
    ? textOf(value)
    : valuesOf(value).map(textOf).join('\n')
}

function choicesOf(value: unknown): string[] {
  const entries =
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : isRecord(value) ? Object.entries(value) : []
  return entries.map(([choice, label]) =>
    textOf(label) === textOf(choice) ? textOf(choice) : `${textOf(choice)} : ${textOf(label)}`,
  )
}

/** Returns choices by value; null for a line without a value, or if two lines have the same value. */
export function choicesIn(text: string): ReadonlyMap<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const entries = lines.map((line) => {
    const at = line.indexOf(' : ')
    return at < 0
      ? ([line.trim(), line.trim()] as const)
      : ([line.slice(0, at).trim(), line.slice(at + 3).trim()] as const)
  })
  const choices = new Map(entries)
  return choices.size === entries.length && !choices.has('') ? choices : null
}

/**
 * Returns the group of a form.
 * @param stored the stored group, whose settings that the form lacks stay; null for a new one
 */
export function groupOfTree(tree: FormBranch, stored: Definition | null): Definition {
  const known = new Map<string, Definition>()
  if (stored !== null) noteKeys(stored['fields'], known)
  const used = new Set<string>()
  return {
    ...stored,
    key: textOf(stored?.['key']) || newKey('group'),
    title: textAt(tree, 'title').trim(),
    active: textAt(tree, 'active') === '1',
    show_in_rest: textAt(tree, 'rest') === '1' ? 1 : 0,
    description: textAt(tree, 'description').trim(),
    menu_order: Number(textAt(tree, 'order')) || 0,
    location: rowsAt(tree, 'groups')
      .map((list) =>
        rowsAt(list, 'rules').map((rule) => ({
          param: textAt(rule, 'param'),
          operator: textAt(rule, 'operator') === '!=' ? '!=' : '==',
          value: textAt(rule, 'value').trim(),
        })),
      )
      .filter((rules) => rules.length > 0),
    fields: fieldsOfTree(tree, known, used),
  }
}

function noteKeys(fields: unknown, known: Map<string, Definition>): void {
  for (const field of definitionsOf(fields)) {
    known.set(textOf(field['key']), field)
    noteKeys(field['sub_fields'], known)
    for (const layout of definitionsOf(field['layouts'])) {
      known.set(textOf(layout['key']), layout)
      noteKeys(layout['sub_fields'], known)
    }
  }
}

type Known = ReadonlyMap<string, Definition>

const fieldsOfTree = (tree: FormBranch, known: Known, used: Set<string>): Definition[] =>
  rowsAt(tree, 'fields').map((field) => fieldOfTree(field, known, used))

function fieldOfTree(tree: FormBranch, known: Known, used: Set<string>): Definition {
  const type = textAt(tree, 'type')
  const { layouts: _, sub_fields: _below, parent_layout: _layout, ...before } = sourceOf(tree, known)
  // Settings of another type are shown only after the change of the type.
  const shown = textAt(tree, 'shown') === type ? (SETTINGS[type] ?? []) : []
  const settings = shown.flatMap(([name, kind]) =>
    name in tree ? [[name, settingOf(textAt(tree, name), kind)] as const] : [],
  )
  const layouts = rowsAt(tree, 'layouts').map((layout) => ({
    ...sourceOf(layout, known),
    key: keyOf(layout, known, used, 'layout'),
    name: textAt(layout, 'name').trim(),
    label: textAt(layout, 'label').trim(),
    sub_fields: fieldsOfTree(layout, known, used),
  }))
  return {
    ...before,
    key: keyOf(tree, known, used, 'field'),
    label: textAt(tree, 'label').trim(),
    name: textAt(tree, 'name').trim(),
    type,
    instructions: textAt(tree, 'instructions'),
    required: textAt(tree, 'required') === '1' ? 1 : 0,
    ...withOneDefault(type, Object.fromEntries(settings)),
    ...(CONTAINERS.has(type) && { sub_fields: fieldsOfTree(tree, known, used) }),
    ...(type === 'flexible_content' && { layouts }),
  }
}

function settingOf(text: string, kind: SettingKind): unknown {
  if (kind === 'flag') return text === '1' ? 1 : 0
  if (kind === 'choices') return choicesIn(text) ?? new Map()
  if (kind === 'number') return text.trim() === '' || !Number.isFinite(Number(text)) ? '' : Number(text)
  if (kind !== 'list') return text
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

/** A select field with one value has a text as default. */
function withOneDefault(type: string, settings: Record<string, unknown>): Record<string, unknown> {
  const { default_value: value, multiple } = settings
  if (type !== 'select' || multiple === 1 || !Array.isArray(value)) return settings
  return { ...settings, default_value: textOf(value[0]) }
}

/** Returns the stored field that a field is, or that it is a copy of. */
const sourceOf = (tree: FormBranch, known: Known): Definition =>
  known.get(textAt(tree, 'key')) ?? known.get(textAt(tree, 'from')) ?? {}

/** Returns the key of a stored field, and a new one for other fields: keys of other groups must not be taken. */
function keyOf(tree: FormBranch, known: Known, used: Set<string>, kind: string): string {
  const key = textAt(tree, 'key')
  if (!known.has(key) || used.has(key)) return newKey(kind)
  used.add(key)
  return key
}

const newKey = (kind: string): string => `${kind}_${randomBytes(7).toString('hex').slice(0, 13)}`

/** Returns a copy of a group with new keys. */
export function copyOfGroup(group: Definition, title: string): Definition {
  const keys = new Map<string, string>([[textOf(group['key']), newKey('group')]])
  const known = new Map<string, Definition>()
  noteKeys(group['fields'], known)
  for (const key of known.keys()) keys.set(key, newKey(key.startsWith('layout_') ? 'layout' : 'field'))
  const renamed = (value: unknown): unknown => {
    if (typeof value === 'string') return keys.get(value) ?? value
    if (value instanceof Map) return value
    if (Array.isArray(value)) return value.map(renamed)
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [keys.get(name) ?? name, renamed(one)]))
  }
  return { ...(renamed(group) as Definition), title }
}

export function definitionsOf(value: unknown): Definition[] {
  return valuesOf(value).filter(isRecord)
}

function valuesOf(value: unknown): unknown[] {
  if (value instanceof Map) return [...(value as Map<string, unknown>).values()]
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

function flagOf(value: unknown): string {
  return value === true || value === 1 || (typeof value === 'string' && value !== '' && value !== '0') ? '1' : ''
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)
