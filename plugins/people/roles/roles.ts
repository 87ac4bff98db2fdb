import { checkRegistration, type RegistrationCheck } from '../../library/advice/index.ts'
import { defineErrors, OwnedMap, sentence } from '../../../kernel/index.ts'
import { hint } from '../../library/suggestions/index.ts'

const errors = defineErrors({
  ROLE_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the role ${name} wrongly: ${sentence(reason)}`,
})

/** A role: a label and its capabilities. */
export interface Role {
  /** Name as stored with users: `editor`. */
  readonly name: string
  /** Label as shown: `Editor`. */
  readonly label: string
  /** `false` removes a capability that another role of the same user grants. */
  readonly capabilities: Readonly<Record<string, boolean>>
}

const words = (text: string) => text.split(' ')

const READ = ['read', 'level_0']
const CONTRIBUTE = [...READ, 'edit_posts', 'delete_posts', 'level_1']
const WRITE = [
  ...CONTRIBUTE,
  ...words('upload_files edit_published_posts publish_posts delete_published_posts level_2'),
]
const EDIT = [
  ...WRITE,
  ...words('moderate_comments manage_categories manage_links unfiltered_html'),
  ...words('edit_others_posts delete_others_posts edit_private_posts read_private_posts delete_private_posts'),
  ...words('edit_pages publish_pages edit_published_pages edit_others_pages edit_private_pages read_private_pages'),
  ...words('delete_pages delete_published_pages delete_others_pages delete_private_pages'),
  ...words('level_3 level_4 level_5 level_6 level_7'),
]
const ADMINISTER = [
  ...EDIT,
  ...words('manage_options edit_dashboard import export edit_files unfiltered_upload'),
  ...words('list_users create_users edit_users promote_users remove_users delete_users'),
  ...words('switch_themes edit_theme_options edit_themes install_themes update_themes delete_themes'),
  ...words('activate_plugins edit_plugins install_plugins update_plugins delete_plugins'),
  ...words('update_core level_8 level_9 level_10'),
]

/** The default roles, with labels and capabilities. */
const DEFAULT_ROLES = {
  administrator: ['Administrator', ADMINISTER],
  editor: ['Editor', EDIT],
  author: ['Author', WRITE],
  contributor: ['Contributor', CONTRIBUTE],
  subscriber: ['Subscriber', READ],
} as const

/** Returns the mistake in a registration of a role, or null. */
function roleMistake(label: unknown, capabilities: unknown): string | null {
  if (typeof label !== 'string') return 'its label comes second: register(name, label, capabilities)'
  if (Array.isArray(capabilities)) {
    return capabilities.every((one) => typeof one === 'string') ? null : 'its capabilities must be texts'
  }
  if (typeof capabilities !== 'object' || capabilities === null)
    return 'its capabilities come third, as a list of texts'
  const flags = Object.values(capabilities)
  return flags.every((flag) => typeof flag === 'boolean') ? null : 'each of its capabilities must be true or false'
}

/** The roles of the site: the default roles, and roles of plugins, which are removed with their plugin. */
export class Roles {
  readonly #roles = new OwnedMap<Role>('role')
  readonly #grants = new OwnedMap<{ role: string; capability: string; granted: boolean }>('capability')

  /** A number that changes whenever the capabilities of a role may have changed. */
  get edition(): number {
    return this.#roles.edition + this.#grants.edition
  }

  constructor() {
    for (const [name, [label, capabilities]] of Object.entries(DEFAULT_ROLES)) this.register(name, label, capabilities)
  }

  /**
   * Adds a role, or replaces the role of the same name.
   * @param capabilities names, or names with `true` and `false`
   * @param options.override whether to replace another plugin's role without a warning
   * @throws ROLE_INVALID
   */
  register(
    name: string,
    label: string,
    capabilities: readonly string[] | Readonly<Record<string, boolean>>,
    { override = false }: { override?: boolean } = {},
  ): Role {
    checkRegistration(
      () => roleMistake(label, capabilities),
      (plugin, reason) => errors.ROLE_INVALID(plugin, name, reason),
    )
    const entries = Array.isArray(capabilities)
      ? capabilities.map((capability: string) => [capability, true] as const)
      : Object.entries(capabilities as Readonly<Record<string, boolean>>)
    const role: Role = { name, label, capabilities: Object.fromEntries(entries) }
    this.#roles.set(name, role, name, override)
    return role
  }

  /** Grants a capability to a role; with `false`, denies it. The role can be registered later. @throws ROLE_INVALID */
  grant(role: string, capability: string, granted = true): void {
    checkRegistration(
      () => (typeof capability === 'string' ? null : 'one capability comes second, as a text: grant(role, capability)'),
      (plugin, reason) => errors.ROLE_INVALID(plugin, String(role), reason),
    )
    const shown = `${capability} ${granted ? 'for' : 'not for'} ${role}`
    this.#grants.set(JSON.stringify([role, capability]), { role, capability, granted }, shown, true)
  }

  /** Reports grants to roles that do not exist. */
  check(check: RegistrationCheck): void {
    for (const [key, { role, capability }] of this.#grants) {
      if (this.#roles.has(role)) continue
      const near = hint(role, [...this.#roles.keys()])
      check.warn(
        this.#grants.registrantOf(key),
        `grants ${capability} to the role "${role}", which does not exist${near}`,
      )
    }
  }

  /** Returns a role with the capabilities that plugins granted to it, or undefined. */
  get(name: string): Role | undefined {
    const role = this.#roles.get(name)
    return role === undefined ? undefined : this.#withGrants(role)
  }

  /** Returns all roles in the order of registration. */
  all(): Role[] {
    return this.#roles.values().map((role) => this.#withGrants(role))
  }

  /**
   * Returns the capabilities of a user with these roles: every capability of every role, and each role's own name.
   * Unknown roles are ignored. If two roles disagree, the later one wins.
   */
  capabilitiesOf(names: readonly string[]): Record<string, boolean> {
    const all: Record<string, boolean> = Object.create(null)
    for (const name of names) {
      const role = this.get(name)
      if (role !== undefined) Object.assign(all, role.capabilities, { [name]: true })
    }
    return all
  }

  #withGrants(role: Role): Role {
    const capabilities = { ...role.capabilities }
    for (const grant of this.#grants.values()) {
      if (grant.role === role.name) capabilities[grant.capability] = grant.granted
    }
    return { ...role, capabilities }
  }
}
