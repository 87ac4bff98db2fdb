import type { AdminView } from '../../public.ts'
import { rowsAt, textAt, type FormBranch } from './form-tree.ts'
import { CONTAINERS, PARAMS, SETTINGS } from './group-settings.ts'
import { choicesIn, type Definition } from './group-trees.ts'
import { LAYOUT_TYPES } from './model.ts'

/** Messages by the place of a field in the form: `fields.0.name`. */
export type GroupErrors = Readonly<Record<string, string>>

/**
 * Checks the form of a group.
 * @param stored the stored group; it can contain types and rules of plugins, which stay
 */
export function groupErrors(view: AdminView, tree: FormBranch, stored: Definition | null): GroupErrors {
  const { t } = view
  const errors: Record<string, string> = {}
  const known = JSON.stringify(stored ?? {})
  if (textAt(tree, 'title').trim() === '') errors['title'] = t('Enter a title.')
  if (!/^-?\d{0,6}$/.test(textAt(tree, 'order'))) errors['order'] = t('Enter a number.')
  rowsAt(tree, 'groups').forEach((list, index) =>
    rowsAt(list, 'rules').forEach((rule, at) => {
      const place = `groups.${index}.rules.${at}`
      const param = textAt(rule, 'param')
      if (!(PARAMS as readonly string[]).includes(param) && !known.includes(`"param":${JSON.stringify(param)}`))
        errors[`${place}.param`] = t('Select a condition.')
      if (textAt(rule, 'value').trim() === '') errors[`${place}.value`] = t('Enter a value.')
    }),
  )
  fieldErrors(view, tree, '', known, errors)
  return errors
}

function fieldErrors(
  view: AdminView,
  tree: FormBranch,
  prefix: string,
  known: string,
  errors: Record<string, string>,
): void {
  const { t } = view
  const names = new Set<string>()
  rowsAt(tree, 'fields').forEach((field, index) => {
    const place = `${prefix}fields.${index}`
    const [type, name] = [textAt(field, 'type'), textAt(field, 'name').trim()]
    if (!Object.hasOwn(SETTINGS, type) && !known.includes(`"type":${JSON.stringify(type)}`))
      errors[`${place}.type`] = t('Select a type.')
    if (textAt(field, 'label').trim() === '' && !LAYOUT_TYPES.has(type)) errors[`${place}.label`] = t('Enter a label.')
    if (!LAYOUT_TYPES.has(type) && type !== 'clone') errorOfName(view, name, names, `${place}.name`, errors)
    const shown = textAt(field, 'shown') === type ? (SETTINGS[type] ?? []) : []
    for (const [setting, kind] of shown) {
      const text = textAt(field, setting)
      if (kind === 'choices' && choicesIn(text) === null)
        errors[`${place}.${setting}`] = t('Each line needs a different value.')
      if (kind === 'number' && text.trim() !== '' && !Number.isFinite(Number(text)))
        errors[`${place}.${setting}`] = t('Enter a number.')
    }
    if (CONTAINERS.has(type)) fieldErrors(view, field, `${place}.`, known, errors)
    if (type !== 'flexible_content') return
    const layoutNames = new Set<string>()
    rowsAt(field, 'layouts').forEach((layout, at) => {
      const below = `${place}.layouts.${at}`
      if (textAt(layout, 'label').trim() === '') errors[`${below}.label`] = t('Enter a label.')
      errorOfName(view, textAt(layout, 'name').trim(), layoutNames, `${below}.name`, errors)
      fieldErrors(view, layout, `${below}.`, known, errors)
    })
  })
}

function errorOfName(
  { t }: AdminView,
  name: string,
  names: Set<string>,
  place: string,
  errors: Record<string, string>,
): void {
  if (!/^[\p{L}\p{N}_-]{1,190}$/u.test(name)) errors[place] = t('Use letters, digits, “-” and “_”.')
  else if (names.has(name)) errors[place] = t('Another field has this name.')
  names.add(name)
}
