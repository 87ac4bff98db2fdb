import { RequestCache, type PluginContext } from '../../public.ts'
import type { FieldValues } from './fields.ts'
import { lightValue } from './light.ts'
import { testsRequestingUser } from './locations.ts'
import { isMultiple, isSet, type Field } from './model.ts'
import { shapeOf, valueFields } from './shape.ts'
import type { TargetType } from './targets.ts'

const NUMBERS: ReadonlySet<string> = new Set([
  'number',
  'range',
  'image',
  'file',
  'gallery',
  'post_object',
  'relationship',
  'taxonomy',
  'user',
])
/** Types whose values cannot be compared. */
const STRUCTURED: ReadonlySet<string> = new Set([
  'group',
  'repeater',
  'flexible_content',
  'clone',
  'link',
  'google_map',
  'icon_picker',
  'password',
])

/**
 * Lets lists be filtered and sorted by fields: `field[acf_price][gte]=10`. A field is indexed if its definition says so,
 * or if its name is in `names`. Fields of groups that depend on the requesting user are left out.
 */
export function indexFields(
  { services }: PluginContext,
  values: FieldValues,
  type: TargetType,
  names: readonly string[],
): void {
  const groups = values.shownGroupsOf(type.objectType).filter((group) => !testsRequestingUser(group))
  const fields = groups
    .flatMap((group) => valueFields(group.fields))
    .filter((field) => !STRUCTURED.has(field.type) && (isSet(field, 'filterable') || names.includes(field.name)))
  for (const name of new Set(fields.map((field) => field.name))) {
    const field = fields.find((one) => one.name === name)!
    const kind = NUMBERS.has(field.type) ? 'number' : field.type === 'true_false' ? 'boolean' : 'text'
    services.extraFields.register(type.objectType, `acf_${name}`, {
      get_callback: null,
      filterable: true,
      sortable: true,
      index: {
        type: kind,
        many: isMultiple(field),
        value: ({ id }: { id: number }) => indexedValue(values, type, id, name),
        version: JSON.stringify([field.key, field.type, groups.map(({ location }) => location)]),
      },
    })
  }
}

/** Returns the stored value of a field that applies to an object for every visitor; null without one. */
async function indexedValue(values: FieldValues, { objectType }: TargetType, id: number, name: string) {
  const scope = new RequestCache()
  const target = await values.target(objectType, id, { scope })
  const field = target?.fields.find((one) => one.name === name)
  if (target === null || field === undefined) return null
  const read = await values.reader(target, scope)
  const leaf = (one: Field, stored: unknown) => (stored === undefined ? null : lightValue(one, stored))
  const value = shapeOf(field, read, leaf)
  return value === '' || value === false ? (field.type === 'true_false' ? value : null) : value
}
