import { OwnedMap } from '../../../kernel/index.ts'

/** What a status is registered with. */
export interface StatusSpec {
  /** For people. */
  label?: string
  /** Everybody may read content of it. */
  public?: boolean
  /** Its author, and who may read private content, may. */
  private?: boolean
  /** Its author, and who may edit it, may. */
  protected?: boolean
  /** The server's own; nobody asks for it. By default when it is none of the above. */
  internal?: boolean
  /** Whether readers may ask for it; by default when it is public. */
  publicly_queryable?: boolean
  /** Whether lists of an administration have an entry for it; by default unless it is internal. */
  show_in_list?: boolean
  /** Whether lists of all content hold content of it; by default unless it is internal. */
  show_in_all_list?: boolean
  /** Whether full-text search leaves it out; by default when it is internal. */
  exclude_from_search?: boolean
  /** Whether the date moves until the content is published. */
  date_floating?: boolean
}

/** A status, every default in place. */
export interface Status extends Readonly<Required<StatusSpec>> {
  readonly name: string
}

/** The states content can be in. A plugin's statuses go with it. */
export interface Statuses {
  /** Registers a status, or replaces the one of the same name. */
  register(name: string, spec?: StatusSpec): Status
  get(name: string): Status | undefined
  /** In order of registration. */
  all(): Status[]
}

/** An empty registry of statuses. */
export function createStatuses(): Statuses {
  const statuses = new OwnedMap<Status>()
  return {
    register(name, spec = {}) {
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
      statuses.set(name, status)
      return status
    },
    get: (name) => statuses.get(name),
    all: () => statuses.values(),
  }
}
