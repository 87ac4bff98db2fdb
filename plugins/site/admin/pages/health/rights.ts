import type { AdminView } from '../../frame/view.ts'

/** Whether a user can open the page with the state of the server. */
export const mayOpenHealth = (view: AdminView): boolean => view.can('manage_options')

/** Whether a user can open the page with all changes. */
export const mayOpenChanges = (view: AdminView): boolean => view.plugin.has('changes') && view.can('edit_others_posts')
