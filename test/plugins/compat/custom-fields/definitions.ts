import { writePhp } from '../../../../plugins/compat/php-values.ts'
import type { Store } from '../../../../plugins/storage/store/index.ts'
import { addPosts } from '../../../helpers/content.ts'

/** A field of a group for a test. */
export interface TestField {
  readonly name: string
  readonly type: string
  readonly sub_fields?: readonly TestField[]
  readonly layouts?: readonly { readonly name: string; readonly sub_fields: readonly TestField[] }[]
  readonly [setting: string]: unknown
}

/** A group of fields for a test; shown to all in the REST API by default. */
export interface TestGroup {
  readonly key: string
  readonly location?: readonly (readonly (readonly [param: string, operator: string, value: string])[])[]
  readonly fields: readonly TestField[]
  readonly show_in_rest?: number
  readonly status?: string
  readonly menu_order?: number
}

/** Stores groups of fields as an export contains them. */
export async function addGroups(store: Store, ...groups: readonly TestGroup[]): Promise<void> {
  for (const { key, location = [[['post_type', '==', 'post']]], fields, show_in_rest = 1, ...group } of groups) {
    const rules = location.map((list) => list.map(([param, operator, value]) => ({ param, operator, value })))
    const [id] = await addPosts(store, {
      type: 'acf-field-group',
      status: group.status ?? 'publish',
      slug: key,
      title: key,
      menu_order: group.menu_order ?? 0,
      content: writePhp({ location: rules, show_in_rest }),
    })
    await addFields(store, id!, fields)
  }
}

async function addFields(store: Store, parent: number, fields: readonly TestField[], layout?: string): Promise<void> {
  for (const [order, { name, sub_fields: inner = [], layouts = [], ...settings }] of fields.entries()) {
    const named = layouts.map((one) => [`layout_${one.name}`, { key: `layout_${one.name}`, name: one.name }] as const)
    const stored = {
      required: 0,
      ...settings,
      ...(layouts.length > 0 && { layouts: Object.fromEntries(named) }),
      ...(layout !== undefined && { parent_layout: layout }),
    }
    const [id] = await addPosts(store, {
      type: 'acf-field',
      slug: typeof settings['key'] === 'string' ? settings['key'] : `field_${parent}_${name}`,
      title: name,
      excerpt: name,
      parent_id: parent,
      menu_order: order,
      content: writePhp(stored),
    })
    await addFields(store, id!, inner)
    for (const one of layouts) await addFields(store, id!, one.sub_fields, `layout_${one.name}`)
  }
}
