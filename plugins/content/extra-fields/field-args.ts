import { schemaMistake } from '../../requests/arguments/index.ts'
import { shapeMistake, type Shapes } from '../../library/advice/index.ts'
import type { Awaitable, DependsOn, RestError, RestRequest } from '../../../kernel/index.ts'
import type { PropertySchema } from '../../resources/index.ts'
import type { Queryable } from '../../storage/field-index/index.ts'
import type { FieldIndexing } from './indexed-fields.ts'

/** A registered field (specification 2.2). With an `index`, lists can be filtered and sorted by it. */
export interface FieldArgs extends Queryable {
  /**
   * Returns the value of the field, or null for a field that is not shown.
   * @param data the prepared object, with the fields that the request selects
   * @param attribute name of the field
   * @param request the current request
   * @param objectType content type, taxonomy, `comment`, `user` …
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
   * Cache tags of data that the value depends on besides the arguments and data read through services, or a function
   * that returns them.
   */
  dependsOn?: DependsOn<[data: Record<string, unknown>, attribute: string, request: RestRequest, objectType: string]>
  /** Whether responses that show the field can be cached. True by default. */
  cache?: boolean
  /**
   * Stores the value of a request. A returned or thrown error rejects the request. Null: the field is read-only.
   * @param value the value that the request sends
   * @param object the stored row of the object
   * @param attribute name of the field
   * @param request the current request
   * @param objectType content type, taxonomy, `comment`, `user` …
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
   * Schema with the contexts that show the field. Null: OPTIONS does not list the field, and every context shows it.
   */
  schema?: PropertySchema | null
  /** How lists filter and sort by the field. */
  index?: FieldIndexing
  /** Whether the registration may replace another plugin's field with the same name; otherwise a warning is logged. */
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
/** Common wrong names, with the right ones. */
const CORRECT_NAMES = {
  get: 'get_callback',
  resolve: 'get_callback',
  update: 'update_callback',
  set: 'update_callback',
}

/** Returns the mistake in a registration, or null. */
export function findMistake(args: FieldArgs): string | null {
  const wrong = shapeMistake(args, ARGS, CORRECT_NAMES)
  if (wrong !== null) return `it ${wrong}`
  const mistake = args.schema ? schemaMistake(args.schema) : null
  return mistake === null ? null : `its schema ${mistake}`
}
