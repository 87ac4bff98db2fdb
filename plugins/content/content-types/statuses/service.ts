import { checkRegistration, shapeMistake, type Shapes } from '../../../library/advice/index.ts'
import { OwnedMap } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'

/** What a status is registered with. */
export interface StatusSpec {
  /** Name, as users see it. */
  label?: string
  /** Whether everybody may read posts with it. */
  public?: boolean
  /** Whether the author, and users who may read private posts, may read posts with it. */
  private?: boolean
  /** Whether the author, and users who may edit the post, may read posts with it. */
  protected?: boolean
  /** Whether only the server uses it. By default when it is none of the above. */
  internal?: boolean
  /** Whether everybody may list posts with it; by default when it is public. */
  publicly_queryable?: boolean
  /** Whether the lists of an admin have an entry for it; by default unless it is internal. */
  show_in_list?: boolean
  /** Whether lists of all posts include posts with it; by default unless it is internal. */
  show_in_all_list?: boolean
  /** Whether full-text search leaves out posts with it; by default when it is internal. */
  exclude_from_search?: boolean
  /** Whether the date of posts with it changes until they are published. */
  date_floating?: boolean
  /** Whether it may take the place of another plugin's status of this name; otherwise the log warns. */
  override?: boolean
}

/** A status, with all defaults. */
export interface Status extends Readonly<Required<Omit<StatusSpec, 'override'>>> {
  readonly name: string
}

const SPEC: Shapes<StatusSpec> = {
  label: 'text',
  public: 'flag',
  private: 'flag',
  protected: 'flag',
  internal: 'flag',
  publicly_queryable: 'flag',
  show_in_list: 'flag',
  show_in_all_list: 'flag',
  exclude_from_search: 'flag',
  date_floating: 'flag',
  override: 'flag',
}

/** The statuses of posts. The statuses of a plugin are removed with it. */
export class Statuses {
  readonly #statuses = new OwnedMap<Status>('status')

  /** Registers a status, or replaces the one of the same name. @throws STATUS_INVALID */
  register(name: string, spec: StatusSpec = {}): Status {
    checkRegistration(
      () => {
        if (!/^[a-z0-9_-]{1,20}$/.test(name))
          return 'its name must have 1 to 20 lower-case letters, digits, hyphens and underscores'
        const wrong = shapeMistake(spec, SPEC)
        return wrong === null ? null : `it ${wrong}`
      },
      (plugin, why) => errors.STATUS_INVALID(plugin, name, why),
    )
    const visible = [spec.public, spec.private, spec.protected].some((flag) => flag !== undefined)
    const internal = spec.internal ?? !visible
    const status: Status = {
      name,
      label: spec.label ?? name,
      public: spec.public ?? false,
      private: spec.private ?? false,
      protected: spec.protected ?? false,
      internal,
      publicly_queryable: spec.publicly_queryable ?? spec.public ?? false,
      show_in_list: spec.show_in_list ?? !internal,
      show_in_all_list: spec.show_in_all_list ?? !internal,
      exclude_from_search: spec.exclude_from_search ?? internal,
      date_floating: spec.date_floating ?? false,
    }
    this.#statuses.set(name, status, name, spec.override)
    return status
  }

  /** The status of a name; undefined where none is registered. */
  get(name: string): Status | undefined {
    return this.#statuses.get(name)
  }

  /** In order of registration. */
  all(): Status[] {
    return this.#statuses.values()
  }
}
