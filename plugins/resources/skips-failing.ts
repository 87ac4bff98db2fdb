import type { HookSpec } from '../../kernel/index.ts'

/**
 * For filters of what objects and pages show: a tap of a plugin that fails is logged and skipped, as one object must not
 * end a list.
 */
export const SKIPS_FAILING: Pick<HookSpec, 'othersFailAlone'> = {
  othersFailAlone: (_value, item: { id?: unknown } | undefined) => ({ item: item?.id }),
}
