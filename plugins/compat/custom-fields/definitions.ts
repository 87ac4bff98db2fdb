import type { DefinitionPost } from '../definition-posts.ts'
import { DISABLED } from '../definition-posts.ts'
import type { PhpMap, PhpValue } from '../php-values.ts'
import {
  isOn,
  isSet,
  listSetting,
  textSetting,
  type Field,
  type FieldGroup,
  type Layout,
  type LocationRule,
} from './model.ts'

/** Types of the posts that define groups and fields. */
export const GROUP_POSTS = 'acf-field-group'
export const FIELD_POSTS = 'acf-field'

/** Fields nested deeper than this are left out; clones can contain themselves. */
const MAX_DEPTH = 12

/** Builds the groups of fields from the posts that define them, in their order. */
export function groupsOf(posts: readonly DefinitionPost[]): FieldGroup[] {
  const byParent = Map.groupBy(
    posts.filter(({ type }) => type === FIELD_POSTS),
    ({ parent_id: parent }) => parent,
  )
  const groups = posts.filter(({ type }) => type === GROUP_POSTS)
  const stored = groups.map((post): FieldGroup => ({
    id: post.id,
    key: post.slug,
    title: post.title,
    isActive: post.status !== DISABLED,
    showsInRest: isOn(post.settings.get('show_in_rest')),
    location: locationOf(post.settings.get('location')),
    fields: fieldsBelow(post.id, byParent, 0),
    settings: post.settings,
  }))
  return withClones(stored)
}

/** Reads the location rules of a group. */
export function locationOf(value: PhpValue | undefined): LocationRule[][] {
  return valuesOf(value).map((list) =>
    valuesOf(list).flatMap((rule) => {
      if (!(rule instanceof Map)) return []
      const text = (name: string) => textSetting({ settings: rule as PhpMap }, name)
      return [{ param: text('param'), isNegated: text('operator') === '!=', value: text('value') }]
    }),
  )
}

/** Returns the values of an array. */
export function valuesOf(value: PhpValue | undefined): PhpValue[] {
  if (value instanceof Map) return [...(value as PhpMap).values()]
  return Array.isArray(value) ? value : []
}

/** Returns the choices of a field: values with their labels, in their order. */
export function choicesOf(value: PhpValue | undefined): (readonly [string, string])[] {
  const labelOf = (label: PhpValue) => (typeof label === 'object' ? '' : String(label))
  if (value instanceof Map) return [...(value as PhpMap)].map(([key, label]) => [key, labelOf(label)] as const)
  return Array.isArray(value) ? value.map((label: PhpValue, index) => [String(index), labelOf(label)] as const) : []
}

type ByParent = ReadonlyMap<number, readonly DefinitionPost[]>

function fieldsBelow(parent: number, byParent: ByParent, depth: number): Field[] {
  if (depth > MAX_DEPTH) return []
  return (byParent.get(parent) ?? []).map((post) => {
    const below = fieldsBelow(post.id, byParent, depth + 1)
    const type = textSetting(post, 'type')
    return {
      id: post.id,
      key: post.slug,
      name: post.excerpt,
      label: post.title,
      type,
      isRequired: isSet(post, 'required'),
      settings: post.settings,
      choices: choicesOf(post.settings.get('choices')),
      fields: type === 'flexible_content' ? [] : below,
      layouts: type === 'flexible_content' ? layoutsOf(post.settings.get('layouts'), below) : [],
    }
  })
}

function layoutsOf(value: PhpValue | undefined, fields: readonly Field[]): Layout[] {
  const keys = value instanceof Map ? [...(value as PhpMap).keys()] : []
  return valuesOf(value).flatMap((layout, index) => {
    if (!(layout instanceof Map)) return []
    const text = (name: string) => textSetting({ settings: layout as PhpMap }, name)
    const key = text('key') || (keys[index] ?? '')
    const own = fields.filter((field) => textSetting(field, 'parent_layout') === key)
    return [{ key, name: text('name'), label: text('label'), fields: own }]
  })
}

/** Replaces clones by the fields that they name. */
export function withClones(groups: readonly FieldGroup[]): FieldGroup[] {
  const targets = new Map<string, readonly Field[]>()
  const note = (fields: readonly Field[]) => {
    for (const field of fields) {
      targets.set(field.key, [field])
      note(field.fields)
      for (const layout of field.layouts) note(layout.fields)
    }
  }
  for (const group of groups) {
    targets.set(group.key, group.fields)
    note(group.fields)
  }
  const expand = (fields: readonly Field[], depth: number): Field[] =>
    depth > MAX_DEPTH ? [] : fields.flatMap((field) => expandField(field, depth))
  const expandField = (field: Field, depth: number): Field[] => {
    if (field.type !== 'clone') {
      const layouts = field.layouts.map((layout) => ({ ...layout, fields: expand(layout.fields, depth + 1) }))
      return [{ ...field, fields: expand(field.fields, depth + 1), layouts }]
    }
    const named = listSetting(field, 'clone').flatMap((key) => targets.get(key) ?? [])
    const cloned = expand(named, depth + 1).map((one) => ({ ...one, key: `${field.key}_${one.key}` }))
    if (textSetting(field, 'display') === 'group') return [{ ...field, fields: cloned }]
    const prefix = isSet(field, 'prefix_name') && field.name !== '' ? `${field.name}_` : ''
    return cloned.map((one) => ({ ...one, name: `${prefix}${one.name}` }))
  }
  return groups.map((group) => ({ ...group, fields: expand(group.fields, 0) }))
}
