import type { Services } from '../../../../kernel/index.ts'

/** What the service `shortcodes`, of a room above this one, takes. */
export type ShortcodeCallback = Parameters<Services['shortcodes']['register']>[1]
