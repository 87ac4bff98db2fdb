import type { AdminView } from '../../frame/view.ts'
import type { Choice } from '../../parts/fields.ts'

/** The roles that the user may give, as choices. */
export function roleChoices({ plugin, t, user }: AdminView): Choice[] {
  return plugin.services.users.assignableRoles(user).map(({ name, label }) => ({ value: name, label: t(label) }))
}

/** Roles by their labels; one that nobody has registered by its name. */
export function roleLabels({ plugin, t }: AdminView, names: readonly string[]): string {
  return names.map((name) => t(plugin.services.roles.get(name)?.label ?? name)).join(', ')
}
