import { schemaMistake } from '../../requests/arguments/index.ts'
import { shapeMistake, type Shapes } from '../../library/advice/index.ts'
import type { Awaitable, DependsOn, RestError, RestRequest } from '../../../kernel/index.ts'
import type { PropertySchema } from '../../resources/index.ts'
import type { Queryable } from '../../storage/field-index/index.ts'
import type { FieldIndexing } from './indexed-fields.ts'

/** A registered field (specification 2.2). With an `index`, lists can be filtered and sorted by it. */
export interface FieldArgs extends Queryable {
  /**
   * Returns the value of the field. `data` is the prepared object with the fields that the request selects. With null,
   * the field is not part of responses.
   */
  get_callback?:
    | ((
        data: Record<string, unknown>,
        attribute: string,
        request: RestRequest,
        objectType: string,
      ) => Awaitable<unknown>)
    | null
  /**
   * Cache tags of data that the value depends on, or a function that returns them. Reads through services are tracked
   * automatically.
   */
  dependsOn?: DependsOn<[data: Record<string, unknown>, attribute: string, request: RestRequest, objectType: string]>
  /** Whether responses with the field can be cached; true by default. */
  cache?: boolean
  /**
   * Stores a value from a request. Returning or throwing an error refuses the request. With null, the field is
   * read-only.
   */
  update_callback?:
    | ((
        value: unknown,
        // oxlint-disable-next-line typescript/no-explicit-any -- a field knows the rows of its own object types
        object: any,
        attribute: string,
        request: RestRequest,
        objectType: string,
      ) => Awaitable<void | boolean | RestError>)
    | null
  /**
   * Schema of the field, with the contexts that include it. With null, OPTIONS does not list the field and every
   * context includes it.
   */
  schema?: PropertySchema | null
  /** Type and value of the field in the index that lists are filtered and sorted by. */
  index?: FieldIndexing
  /** Whether the field can replace another plugin's field of the same name; otherwise a warning is logged. */
  override?: boolean
}

const ARGS: Shapes<FieldArgs> = {
  get_callback: ['function', 'null'],
  update_callback: ['function', 'null'],
  schema: ['object', 'null'],
  dependsOn: ['text', 'list', 'function'],
  cache: 'flag',
  override: 'flag',
  index: 'object',
  filterable: ['flag', 'list'],
  sortable: 'flag',
  query_callback: 'function',
}
/** Names of these properties in other systems. */
const MEANT = { get: 'get_callback', resolve: 'get_callback', update: 'update_callback', set: 'update_callback' }

/** Returns the first mistake in the arguments of a field; null if they are valid. */
export function mistakeIn(given: FieldArgs): string | null {
  const wrong = shapeMistake(given, ARGS, MEANT)
  if (wrong !== null) return `it ${wrong}`
  const mistake = given.schema ? schemaMistake(given.schema) : null
  return mistake === null ? null : `its schema ${mistake}`
}
