import { checkRegistration, shapeMistake, type Shapes } from '../../../library/advice/index.ts'
import { OwnedMap } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'

/** Specification of a status. */
export interface StatusSpec {
  /** Label for users. */
  label?: string
  /** Whether every client may read posts with it. */
  public?: boolean
  /** Whether the author and users who may read private posts may read posts with it. */
  private?: boolean
  /** Whether the author and users who may edit the post may read posts with it. */
  protected?: boolean
  /** Whether it is for internal use only; true by default if none of the above is set. */
  internal?: boolean
  /** Whether every client may list posts with it; defaults to `public`. */
  publicly_queryable?: boolean
  /** Whether lists in an admin have an entry for it; true by default unless it is internal. */
  show_in_list?: boolean
  /** Whether lists of all posts include posts with it; true by default unless it is internal. */
  show_in_all_list?: boolean
  /** Whether full-text search leaves out posts with it; defaults to `internal`. */
  exclude_from_search?: boolean
  /** Whether the date of posts with it changes until they are published. */
  date_floating?: boolean
  /** Whether it may replace a status of another plugin with this name; otherwise the log warns. */
  override?: boolean
}

/** A status with all defaults. */
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
      (plugin, reason) => errors.STATUS_INVALID(plugin, name, reason),
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

  /** Returns the status with this name, or undefined. */
  get(name: string): Status | undefined {
    return this.#statuses.get(name)
  }

  /** All statuses, in order of registration. */
  all(): Status[] {
    return this.#statuses.values()
  }
}
