import { exportedNames } from '../../../library/branding/index.ts'
import {
  ALT_KEY,
  FILE_KEY,
  FONT_FACE_FILE_KEY,
  METADATA_KEY,
  NOTE_STATUS_KEY,
  OLD_DATE_KEY,
  OLD_SLUG_KEY,
  SYNC_STATUS_KEY,
  TEMPLATE_KEY,
  TRASHED_SLUG_KEY,
  TRASHED_STATUS_KEY,
  TRASHED_TIME_KEY,
} from '../../../content/meta-keys.ts'

/** Stored keys of hidden meta that have the prefix of the format in files. */
const PREFIXED_KEYS: ReadonlySet<string> = new Set([
  ALT_KEY,
  FILE_KEY,
  FONT_FACE_FILE_KEY,
  METADATA_KEY,
  NOTE_STATUS_KEY,
  TEMPLATE_KEY,
  TRASHED_SLUG_KEY,
  TRASHED_STATUS_KEY,
  TRASHED_TIME_KEY,
  '_attachment_backup_sizes',
  '_attachment_context',
  '_attachment_custom_header_last_used',
  '_attachment_is_custom_background',
  '_attachment_is_custom_header',
  '_ignored_hooked_blocks',
  OLD_DATE_KEY,
  OLD_SLUG_KEY,
  '_privacy_policy_text_change_check',
  '_suggested_privacy_policy_content',
  '_trash_meta_comments_status',
])

/** Converts stored names to the names of the format, which are the same for every word. */
export class FormatNames {
  readonly #ownPrefix: string

  /** @param ownPrefix prefix of types and taxonomies on this site: `svc_` */
  constructor(ownPrefix: string) {
    this.#ownPrefix = ownPrefix
  }

  /** Name in files of a content type or taxonomy. */
  type(name: string): string {
    return name.startsWith(this.#ownPrefix) ? `${exportedNames.typePrefix}${name.slice(this.#ownPrefix.length)}` : name
  }

  /** Name on this site of a type or taxonomy of files. */
  ownType(name: string): string {
    const { typePrefix } = exportedNames
    return name.startsWith(typePrefix) ? `${this.#ownPrefix}${name.slice(typePrefix.length)}` : name
  }

  /** Key in files of a meta key. */
  metaKey(key: string): string {
    if (key === SYNC_STATUS_KEY) return `${exportedNames.typePrefix}${key}`
    return PREFIXED_KEYS.has(key) ? `${exportedNames.metaPrefix}${key.slice(1)}` : key
  }
}
