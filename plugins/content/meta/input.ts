import { authorizationStatus, RestError, type RestRequest } from '../../../kernel/index.ts'
import { parseValue } from '../../requests/arguments/index.ts'
import type { Capabilities, CapabilityObject } from '../../people/roles/index.ts'
import { errors } from './errors.ts'
import { isHeld, type MetaField } from './registry.ts'
import type { MetaWriter } from './writer.ts'

/** Decides which meta a user may write. */
interface MetaRules {
  /** Registered keys of the object. */
  readonly fields: readonly MetaField[]
  /** Undefined for a site without roles: then only `auth_callback` decides. */
  readonly capabilities: Capabilities | undefined
}

/** The argument `meta` of a request, and the object to write it to. */
interface MetaInput {
  readonly subtype: string
  /** The row of the object, as `Capabilities.can` expects it. */
  readonly object: CapabilityObject
  /** Values by public name. */
  readonly values: unknown
}

/**
 * Stores the argument `meta` of a request: unregistered names are ignored, null removes a value. Every value is checked
 * before the first is written, so a rejected request changes nothing.
 * @returns the first error, `rest_invalid_param`, `rest_cannot_update` or `rest_cannot_delete`; null if all values were
 * stored
 */
export async function writeMeta(
  writer: MetaWriter,
  { fields, capabilities }: MetaRules,
  { subtype, object, values: input }: MetaInput,
  request: RestRequest,
): Promise<RestError | null> {
  if (typeof input !== 'object' || input === null) return null
  const writes = new Map<string, readonly unknown[]>()
  for (const field of fields) {
    const { key, shown } = field
    if (shown === null || !Object.hasOwn(input, shown.name)) continue
    const removes = (input as Record<string, unknown>)[shown.name] === null
    const isApplicable = isHeld(field, subtype)
    if (removes && !isApplicable) continue
    if (!isApplicable || !(await mayWrite(capabilities, field, object, request))) {
      const refusal = removes ? errors.rest_cannot_delete : errors.rest_cannot_update
      return refusal(shown.name, { data: { key, status: authorizationStatus(request) } })
    }
    const values = valuesOf(field, (input as Record<string, unknown>)[shown.name], subtype, request)
    if (values instanceof RestError) return values
    writes.set(key, values)
  }
  if (writes.size > 0) await writer.write(fields[0]!.objectType, object.id, writes)
  return null
}

/**
 * Checks whether the user may write a key: users who may edit the object may, unless the key is protected or
 * `auth_callback` decides.
 */
async function mayWrite(
  capabilities: Capabilities | undefined,
  { key, objectType, auth_callback: authorize }: MetaField,
  object: CapabilityObject,
  request: RestRequest,
): Promise<boolean> {
  const may = capabilities?.can(request.user, `edit_${objectType}_meta`, object) ?? false
  const allowed = may && !key.startsWith('_')
  return authorize === undefined ? allowed : await authorize(allowed, key, object.id, request)
}

/** Returns the values to store under a key; an empty list removes it. */
function valuesOf(
  field: MetaField,
  input: unknown,
  subtype: string,
  request: RestRequest,
): readonly unknown[] | RestError {
  const { key, objectType, shown, single, sanitize_callback: sanitize } = field
  if (input === null) return []
  let parsed: unknown
  try {
    parsed = parseValue(input, shown!.schema, `meta.${shown!.name}`)
  } catch (error) {
    if (error instanceof RestError) return error
    throw error
  }
  const values = single ? [parsed] : (parsed as readonly unknown[])
  return sanitize === undefined ? values : values.map((value) => sanitize(value, key, objectType, subtype, request))
}
