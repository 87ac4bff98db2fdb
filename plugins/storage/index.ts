import type { AnyPlugin } from '../../kernel/index.ts'
import changes from './changes/index.ts'
import store from './store/index.ts'

/** Where everything is kept. */
const plugins: readonly AnyPlugin[] = [store, changes]
export default plugins
