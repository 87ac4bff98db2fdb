import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { AdminView } from './frame/view.ts'
import type { MenuEntry } from './admin.ts'

/** The hooks of the admin. */
interface AdminHooks {
  /**
   * Filter: the menu entries of the admin for one user, in order; taps can add, change and remove entries. @since 0.1.0
   */
  admin_menu: SyncFilter<readonly MenuEntry[], [view: AdminView]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends AdminHooks {}
}

export const adminHooks: HookSpecs<AdminHooks> = {
  admin_menu: syncFilter('entries', 'view'),
}
