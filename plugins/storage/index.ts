import type { AnyPlugin } from '../../kernel/index.ts'
import changes from './changes/index.ts'
import fieldIndex from './field-index/index.ts'
import store from './store/index.ts'

/** The database, the record of its changes, and indexes of fields. */
export default [store, changes, fieldIndex] satisfies AnyPlugin[]
