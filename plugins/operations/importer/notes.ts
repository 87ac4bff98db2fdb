/**
 * The subject of a note: data whose form was `changed`, data that were `lost`, faults of the source that were
 * `repaired`, and work that is left `todo`.
 */
export type NoteGroup = 'changed' | 'lost' | 'repaired' | 'todo'

interface NoteKind {
  readonly group: NoteGroup
  /** Advice to the owner, as a sentence. */
  readonly advice?: string
}

/** The notes of imports by their texts, in which braces mark values. */
export const NOTES = {
  'sample content; removed, because the site had no other content': { group: 'changed' },
  'theme files; copied': { group: 'changed' },
  'theme that already exists; its files are unchanged': { group: 'changed' },
  'active theme without its files here; pages use the default theme': {
    group: 'todo',
    advice: 'Copy the folder of the theme to themes/, or select another theme.',
  },
  'account created without a password and with the role {role}, because exports contain neither': {
    group: 'todo',
    advice: 'Set role and password with svc user role and svc user set-password, or import a site file.',
  },
  'author without a declaration; account created without an email address': {
    group: 'todo',
    advice: 'Add the email address of the account under Users.',
  },
  'account in use; unchanged, the site file is ignored': { group: 'changed' },
  'account that differs from the file, changed here; kept': { group: 'changed' },
  'account without a password; completed from the site file': { group: 'changed' },
  'application password; skipped, because its UUID already exists': { group: 'lost' },
  'reference to an object that is not in the file; removed': {
    group: 'lost',
    advice: 'If another file of the export has the object, import it too.',
  },
  'reference in a text to an object that is not in the file; unchanged': {
    group: 'todo',
    advice: 'If another file of the export has the object, import it too.',
  },
  'block of a plugin whose "id" may refer to an object of the file; unchanged': {
    group: 'todo',
    advice: 'Check the blocks: their attribute can name an object that has another ID now.',
  },
  'item whose parent is not in the file; parent removed': {
    group: 'lost',
    advice: 'If another file of the export has the parent, import it too.',
  },
  'item that was its own ancestor; parent removed': { group: 'repaired' },
  'item with a changed slug, because its slug is already used on this site': { group: 'changed' },
  'reply to a comment that is not in the file; now a top-level comment': { group: 'changed' },
  'comment of a user who is not in the file; keeps the name of the author': { group: 'changed' },
  'item whose ID is used by another item of the file': { group: 'repaired' },
  'text whose author may not write unfiltered HTML; HTML filtered': {
    group: 'lost',
    advice: 'To keep the HTML, import again with --trust-html.',
  },
  'HTML that the filter removed: {part}': {
    group: 'lost',
    advice: 'To keep the HTML, import again with --trust-html.',
  },
  'comment; HTML filtered, external links marked': { group: 'changed' },
  'description; HTML filtered': { group: 'lost' },
  'setting with HTML; converted to plain text': { group: 'changed' },
  'name or label; converted to plain text': { group: 'changed' },
  'unsafe URL; removed or repaired': { group: 'lost' },
  'term whose parent is not in the file; parent removed': { group: 'lost' },
  'term that was its own ancestor; parent removed': { group: 'repaired' },
  'comment that was its own ancestor; parent removed': { group: 'repaired' },
  'attachment without a file in the uploads folder': {
    group: 'todo',
    advice: 'Download the files from the old site: import again with --download.',
  },
  'media file missing in the uploads folder': {
    group: 'todo',
    advice: 'Import again with --uploads or --download.',
  },
  'media file that was not downloaded: {reason}': {
    group: 'todo',
    advice: 'Import again with --download; files that exist are not requested again.',
  },
  'existing revision; deleted, because it was over the limit': { group: 'lost' },
  // Of running sites.
  'term of an item that the old site does not list; left out': { group: 'lost' },
  'setting that is not registered here, or whose value is not valid here; left out': { group: 'lost' },
  'user with a role that this site does not have; now a subscriber': {
    group: 'todo',
    advice: 'Give the user a role with svc user role.',
  },
  'user with several roles; only the first one came': { group: 'changed' },
  'author whom the old site does not show; account created under a number': {
    group: 'todo',
    advice: 'Import with a user who may list users, or rename the account.',
  },
  'text in the form in which pages show it, because the raw form needs a user; blocks are lost': {
    group: 'lost',
    advice: 'Import with --user.',
  },
  'text behind a password, which needs a user; the item came as an empty draft': {
    group: 'lost',
    advice: 'Import with --user.',
  },
  'comment on a post that did not come; left out': { group: 'lost' },
} as const satisfies Readonly<Record<string, NoteKind>>
