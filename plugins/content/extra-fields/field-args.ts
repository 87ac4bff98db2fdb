import { schemaMistake } from '../../requests/arguments/index.ts'
import { shapeMistake, type Shapes } from '../../library/advice/index.ts'
import type { Awaitable, DependsOn, RestError, RestRequest } from '../../../kernel/index.ts'
import type { PropertySchema } from '../../resources/index.ts'
import type { Queryable } from '../../storage/field-index/index.ts'
import type { FieldIndexing } from './indexed-fields.ts'

/** A registered field (specification 2.2). With an `index`, lists may be limited to and ordered by it. */
export interface FieldArgs extends Queryable {
  /** Returns the value for the prepared data of an object, which has the fields that the request gets. Null: not shown. */
  get_callback?:
    | ((
        data: Record<string, unknown>,
        attribute: string,
        request: RestRequest,
        objectType: string,
      ) => Awaitable<unknown>)
    | null
  /** The tags of what the value depends on besides the arguments and what services read; or a function that returns them. */
  dependsOn?: DependsOn<[data: Record<string, unknown>, attribute: string, request: RestRequest, objectType: string]>
  /** Whether responses that show it may be stored; true by default. */
  cache?: boolean
  /** Stores a given value; an error, returned or thrown, refuses the request. Null: the field cannot be written. */
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
  /** The schema, with the contexts that show the field. Null: OPTIONS does not list it, and every context shows it. */
  schema?: PropertySchema | null
  /** How lists know its values. */
  index?: FieldIndexing
  /** Whether it may take the place of another plugin's field of this name; otherwise the log warns. */
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
/** Words for them elsewhere. */
const MEANT = { get: 'get_callback', resolve: 'get_callback', update: 'update_callback', set: 'update_callback' }

/** What is wrong with what a field is registered with; null where nothing is. */
export function mistakeIn(given: FieldArgs): string | null {
  const wrong = shapeMistake(given, ARGS, MEANT)
  if (wrong !== null) return `it ${wrong}`
  const mistake = given.schema ? schemaMistake(given.schema) : null
  return mistake === null ? null : `its schema ${mistake}`
}
