import type { AnyPlugin } from '../../kernel/index.ts'
import store from './store/index.ts'

/** Where everything is kept. */
const plugins: readonly AnyPlugin[] = [store]
export default plugins
