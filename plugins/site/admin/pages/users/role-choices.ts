import type { AdminView } from '../../frame/view.ts'
import type { Choice } from '../../parts/fields.ts'

/** Returns the roles that the user can assign, as options. */
export function roleChoices({ plugin, t, user }: AdminView): Choice[] {
  return plugin.services.users.assignableRoles(user).map(({ name, label }) => ({ value: name, label: t(label) }))
}

/** Returns the labels of roles; the name if a role is not registered. */
export function roleLabels({ plugin, t }: AdminView, names: readonly string[]): string {
  return names.map((name) => t(plugin.services.roles.get(name)?.label ?? name)).join(', ')
}
