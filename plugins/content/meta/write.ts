import { authorizationStatus, parseValue, RestError, type RestRequest } from '../../../kernel/index.ts'
import type { Capabilities, CapabilityObject } from '../../people/roles/index.ts'
import { errors } from './errors.ts'
import type { MetaField, MetaObject } from './fields.ts'

/** What writing meta needs to know of the plugin. */
export interface MetaWriterParts {
  fieldsOf(objectType: MetaObject, subtype: string): readonly MetaField[]
  /** Stores `values` in place of all under the key. */
  write(objectType: MetaObject, id: number, key: string, values: readonly unknown[]): Promise<void>
  /** undefined where the site has no roles: then `auth_callback` alone decides. */
  capabilities(): Capabilities | undefined
}

/** What is written, once all of it has been checked. */
interface Write {
  field: MetaField
  values: readonly unknown[]
}

/**
 * Takes over what a request gives for `meta`: names that nobody registered are ignored, null removes a value. Every
 * value is checked before the first is written, so a refused request changes nothing.
 *
 * @param object the row that has the meta, as `Capabilities.can` wants it
 * @param given values by shown name
 * @returns the first refusal: `rest_invalid_param`, `rest_cannot_update`; null when all was taken over
 */
export async function writeMeta(
  parts: MetaWriterParts,
  objectType: MetaObject,
  subtype: string,
  object: CapabilityObject,
  given: unknown,
  request: RestRequest,
): Promise<RestError | null> {
  if (typeof given !== 'object' || given === null) return null
  const writes: Write[] = []
  for (const field of parts.fieldsOf(objectType, subtype)) {
    if (field.shown === null || !Object.hasOwn(given, field.shown.name)) continue
    if (!(await mayWrite(parts, field, object, request))) {
      return errors.rest_cannot_update(field.shown.name, {
        data: { key: field.key, status: authorizationStatus(request) },
      })
    }
    const values = valuesOf(field, (given as Record<string, unknown>)[field.shown.name], subtype)
    if (values instanceof RestError) return values
    writes.push({ field, values })
  }
  for (const { field, values } of writes) await parts.write(objectType, object.id, field.key, values)
  return null
}

/** Whether the person may write the key: who may change the object may, unless the key is protected or says otherwise. */
async function mayWrite(
  parts: MetaWriterParts,
  { key, objectType, auth_callback: ask }: MetaField,
  object: CapabilityObject,
  request: RestRequest,
): Promise<boolean> {
  const may = parts.capabilities()?.can(request.user, `edit_${objectType}_meta`, object) ?? false
  const allowed = may && !key.startsWith('_')
  return ask === undefined ? allowed : await ask(allowed, key, object.id, request)
}

/** The values to store of what is given for a key; none removes it. */
function valuesOf(field: MetaField, given: unknown, subtype: string): readonly unknown[] | RestError {
  const { key, objectType, shown, single, sanitize_callback: sanitize } = field
  if (given === null) return []
  let parsed: unknown
  try {
    parsed = parseValue(given, shown!.schema, `meta.${shown!.name}`)
  } catch (error) {
    if (error instanceof RestError) return error
    throw error
  }
  const values = single ? [parsed] : (parsed as readonly unknown[])
  return sanitize === undefined ? values : values.map((value) => sanitize(value, key, objectType, subtype))
}
