/**
 * Repairs that an import makes to the text of a file and to single values, by code. Each sentence names the fault, and
 * after the semicolon what the import does.
 */
export const REPAIRS = {
  // The file.
  'text-before': 'text before the export; ignored',
  'text-after': 'text after the end of the export; ignored',
  'wrong-encoding': 'declared encoding that contradicts the bytes of the file; the encoding of the bytes is used',
  'invalid-bytes': 'bytes that are invalid in the encoding of the file; read as windows-1252',
  truncated: 'end of the file before the end of the export; the complete part is imported',
  // Its markup.
  'bare-ampersand': 'ampersand that starts no entity; kept as text',
  'unknown-entity': 'entity that XML does not define; kept as text',
  'control-character': 'control character; removed',
  'nested-cdata': 'end mark of a CDATA section within its text; kept as text',
  'unclosed-cdata': 'CDATA section without an end mark; ended with its element',
  'unescaped-markup': 'unescaped < in a text; kept as text',
  'malformed-tag': 'malformed tag; read as far as possible',
  'missing-start-tag': 'element without a start tag; read without it',
  'duplicate-attribute': 'attribute that a tag has twice; the first is used',
  'unclosed-element': 'element without an end tag; ended where the next element starts',
  'wrong-end-tag': 'end tag with the name of another element; ends the open element',
  'unexpected-end-tag': 'end tag without a start tag; ignored',
  'stray-text': 'text between elements; ignored',
  'misplaced-element': 'element in the wrong place; ignored',
  'repeated-element': 'element that a record must not repeat; the first one with a value is used',
  // Values.
  'invalid-date': 'date that does not exist; the next date of the record is used',
  'missing-date': 'record without a valid date; the time of the import is used',
  'missing-comment-date': 'comment without a valid date; the date of its item is used',
  'invalid-number': 'number that is not valid; treated as absent',
  'invalid-boolean': 'value that is neither yes nor no; treated as no',
  'missing-id': 'record without an ID; references to it are lost',
  'duplicate-id': 'ID that another record of the file uses; the record gets a new ID',
  'missing-type': 'item without a type; skipped',
  'invalid-name': 'name of a type or taxonomy with characters that no plugin can register; characters removed',
  'long-name': 'name of a type or taxonomy that is too long to be registered; stored, but not served',
  'missing-status': 'item without a status; imported as a draft',
  'unknown-status': 'status that is unknown to this site; imported as a draft',
  'missing-approval': 'comment without an approval state; not approved',
  'unknown-approval': 'unknown approval state of a comment; not approved',
  'attachment-status': 'status that attachments cannot have; private, or that of its parent if it was published',
  'invalid-discussion': 'comment or ping status that is neither open nor closed; closed',
  'missing-slug': 'item without a slug; derived from its title',
  'invalid-slug': 'slug that is not in the form of slugs; normalized',
  'invalid-login': 'login with characters that logins must not contain; characters removed',
  'missing-login': 'author without a login; skipped',
  'invalid-email': 'email address that is not valid; removed',
  'invalid-ip': 'address of a commenter that is not an IP address; removed',
  'invalid-site-url': 'address of the old site that is not a URL; its URLs are not rewritten',
  'too-long': 'value that is longer than its column; truncated',
  'missing-taxonomy': 'term without a taxonomy; treated as a category',
  'missing-term-slug': 'term without a slug; derived from its name',
  'missing-term-name': 'term without a name; its slug is used',
  'serialized-lengths': 'serialized value with wrong lengths; repaired',
  'serialized-class': 'serialized object of a class; stored as plain data',
  'serialized-broken': 'serialized value that cannot be read; stored as text',
} as const

/** The kind of a repair. */
export type RepairCode = keyof typeof REPAIRS

/** One repair, with its place in the source. */
export interface Repair {
  code: RepairCode
  /** Name of the file, if the import reads several. */
  file?: string | undefined
  /** Line of the file, from 1; undefined if the source has no lines. */
  line?: number | undefined
  /** Title, login or ID of the record; `''` for the file itself. */
  item: string
  /** The value as in the file. */
  value?: string | undefined
}
