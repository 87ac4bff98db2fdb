import type { Services } from '../../../../kernel/index.ts'

/** Callback type of the `shortcodes` service, derived because this layer must not import from the layer above. */
export type ShortcodeCallback = Parameters<Services['shortcodes']['register']>[1]
