import type { HookSpec } from '../../kernel/index.ts'

/**
 * For filters of objects and pages: a failing tap of a plugin is logged and skipped, because one object must not fail a
 * list.
 */
export const SKIPS_FAILING: Pick<HookSpec, 'othersFailAlone'> = {
  othersFailAlone: (_value, item: { id?: unknown } | undefined) => ({ item: item?.id }),
}
