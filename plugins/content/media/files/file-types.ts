import mime from 'mime'

/** MIME types by file extension, in lower case without the dot. */
export type FileTypes = Readonly<Record<string, string>>

/** File formats that can be recognized by their first bytes. */
type Family =
  | 'jpeg'
  | 'png'
  | 'gif'
  | 'webp'
  | 'avif'
  | 'heic'
  | 'bmp'
  | 'tiff'
  | 'ico'
  | 'mp4'
  | 'matroska'
  | 'ogg'
  | 'wave'
  | 'avi'
  | 'mpeg'
  | 'mp3'
  | 'aac'
  | 'flac'
  | 'midi'
  | 'asf'
  | 'pdf'
  | 'zip'
  | 'compound'
  | 'gzip'
  | 'rar'
  | '7z'
  | 'tar'
  | 'rtf'
  | 'text'

/** Default file types: extensions, MIME type and required format. */
const KINDS: readonly (readonly [endings: string, type: string, family: Family])[] = [
  ['jpg jpeg jpe', 'image/jpeg', 'jpeg'],
  ['png', 'image/png', 'png'],
  ['gif', 'image/gif', 'gif'],
  ['webp', 'image/webp', 'webp'],
  ['avif', 'image/avif', 'avif'],
  ['heic', 'image/heic', 'heic'],
  ['heif', 'image/heif', 'heic'],
  ['bmp', 'image/bmp', 'bmp'],
  ['tiff tif', 'image/tiff', 'tiff'],
  ['ico', 'image/x-icon', 'ico'],
  ['mp4 m4v', 'video/mp4', 'mp4'],
  ['mov qt', 'video/quicktime', 'mp4'],
  ['3gp 3gpp', 'video/3gpp', 'mp4'],
  ['webm', 'video/webm', 'matroska'],
  ['mkv', 'video/x-matroska', 'matroska'],
  ['ogv', 'video/ogg', 'ogg'],
  ['avi', 'video/avi', 'avi'],
  ['mpeg mpg', 'video/mpeg', 'mpeg'],
  ['wmv', 'video/x-ms-wmv', 'asf'],
  ['mp3', 'audio/mpeg', 'mp3'],
  ['m4a m4b', 'audio/mp4', 'mp4'],
  ['aac', 'audio/aac', 'aac'],
  ['ogg oga opus', 'audio/ogg', 'ogg'],
  ['flac', 'audio/flac', 'flac'],
  ['wav', 'audio/wav', 'wave'],
  ['mid midi', 'audio/midi', 'midi'],
  ['wma', 'audio/x-ms-wma', 'asf'],
  ['txt asc', 'text/plain', 'text'],
  ['csv', 'text/csv', 'text'],
  ['tsv', 'text/tab-separated-values', 'text'],
  ['ics', 'text/calendar', 'text'],
  ['vtt', 'text/vtt', 'text'],
  ['srt', 'text/plain', 'text'],
  ['rtf', 'application/rtf', 'rtf'],
  ['pdf', 'application/pdf', 'pdf'],
  ['zip', 'application/zip', 'zip'],
  ['gz gzip', 'application/x-gzip', 'gzip'],
  ['tar', 'application/x-tar', 'tar'],
  ['rar', 'application/rar', 'rar'],
  ['7z', 'application/x-7z-compressed', '7z'],
  ['doc', 'application/msword', 'compound'],
  ['xls', 'application/vnd.ms-excel', 'compound'],
  ['ppt pps', 'application/vnd.ms-powerpoint', 'compound'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'zip'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'zip'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation', 'zip'],
  ['odt', 'application/vnd.oasis.opendocument.text', 'zip'],
  ['ods', 'application/vnd.oasis.opendocument.spreadsheet', 'zip'],
  ['odp', 'application/vnd.oasis.opendocument.presentation', 'zip'],
  ['epub', 'application/epub+zip', 'zip'],
  ['key', 'application/vnd.apple.keynote', 'zip'],
  ['numbers', 'application/vnd.apple.numbers', 'zip'],
  ['pages', 'application/vnd.apple.pages', 'zip'],
]

const FAMILIES: ReadonlyMap<string, Family> = new Map(
  KINDS.flatMap(([endings, , family]) => endings.split(' ').map((ending): [string, Family] => [ending, family])),
)

/** File types that users may upload, before plugins change them. */
export const DEFAULT_TYPES: FileTypes = Object.freeze(
  Object.fromEntries(KINDS.flatMap(([endings, type]) => endings.split(' ').map((ending) => [ending, type]))),
)

/** The type of a file. */
export interface FileKind {
  /** File extension without the dot. */
  ending: string
  type: string
}

/**
 * Determines the type of a file from its name and its bytes, which must match; for images the bytes decide. The bytes
 * of types that plugins add are not checked.
 * @param ending extension in lower case; '' without any
 * @param types the types that the user may upload
 * @returns the type, or the reason why the file is rejected
 */
export function kindOf(ending: string, data: Buffer, types: FileTypes): FileKind | string {
  const listed = Object.hasOwn(types, ending) ? types[ending] : undefined
  if (listed !== undefined && listed !== DEFAULT_TYPES[ending]) return { ending, type: listed }
  const actual = familyOf(data)
  const expected = listed === undefined ? undefined : FAMILIES.get(ending)
  if (imageEnding(actual) !== undefined && (ending === '' || imageEnding(expected) !== undefined)) {
    const extension = actual === expected ? ending : imageEnding(actual)!
    const type = Object.hasOwn(types, extension) ? types[extension] : undefined
    return type === undefined ? notAllowed(extension) : (findForeignContent(data) ?? { ending: extension, type })
  }
  if (listed === undefined) return ending === '' ? 'its name has no extension' : notAllowed(ending)
  return actual === expected ? { ending, type: listed } : `its content does not match the extension .${ending}`
}

/**
 * Returns the type of a stored file by its extension; undefined for extensions that authors may not upload by default.
 */
export function typeOfName(name: string): string | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1)
  return Object.hasOwn(DEFAULT_TYPES, ending) ? DEFAULT_TYPES[ending] : undefined
}

/** Returns the type of a file by its extension, for users who may upload any type. */
export function anyKind(ending: string): FileKind {
  return { ending, type: mime.getType(`.${ending}`) ?? 'application/octet-stream' }
}

function notAllowed(ending: string): string {
  return `files with the extension .${ending} are not allowed`
}

/** Default extensions of image formats. */
const IMAGE_ENDINGS: Readonly<Partial<Record<Family, string>>> = {
  jpeg: 'jpg',
  png: 'png',
  gif: 'gif',
  webp: 'webp',
  avif: 'avif',
  heic: 'heic',
  bmp: 'bmp',
  tiff: 'tiff',
  ico: 'ico',
}

function imageEnding(family: Family | null | undefined): string | undefined {
  return family === null || family === undefined ? undefined : IMAGE_ENDINGS[family]
}

/** Returns why an image is rejected that also contains a page, a program or an archive; null if it is only an image. */
function findForeignContent(data: Buffer): string | null {
  const archive = data.lastIndexOf('PK\u0005\u0006')
  const isArchive = archive >= 0 && data.length - archive <= MAX_ARCHIVE_END_BYTES
  const isDocument = data.subarray(0, 1024).includes('%PDF-')
  if (isArchive || isDocument) return 'the image contains another file'
  for (let start = 0; start < data.length; start += PIECE_BYTES) {
    // Pieces overlap so that no marker is split.
    if (MARKUP.test(data.toString('latin1', start, start + PIECE_BYTES + 16))) return 'the image contains HTML or code'
  }
  return null
}

/** Maximum bytes from the end marker of a ZIP archive to its end, including the longest comment. */
const MAX_ARCHIVE_END_BYTES = 22 + 65_535
const PIECE_BYTES = 1 << 20
const MARKUP = /<(?:script[\s>/]|\?php|!doctype|html[\s>]|iframe[\s>])/i

/** Start of a text that browsers would treat as markup; `\s` also matches a byte order mark. */
const MARKUP_START = /^\s*<[a-z!?/]/i

/* oxlint-disable no-control-regex -- matches binary signatures */
/** First bytes of each format, as Latin-1 characters. */
const SIGNATURES: readonly (readonly [family: Family, begins: RegExp])[] = [
  ['jpeg', /^\xFF\xD8\xFF/],
  ['png', /^\x89PNG\r\n\x1A\n/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF[^]{4}WEBP/],
  ['avif', /^\0[^]{3}ftypavi[fs]/],
  ['heic', /^\0[^]{3}ftyp(?:hei[cxms]|hev[cx]|mif1|msf1)/],
  ['bmp', /^BM[^]{12}[\x0C\x28\x38\x6C\x7C]\0\0\0/],
  ['tiff', /^(?:II\*\0|MM\0\*)/],
  ['ico', /^\0\0\x01\0[\x01-\xFF]\0/],
  ['mp4', /^\0[^]{3}(?:ftyp|moov|wide|free|mdat)/],
  ['matroska', /^\x1AE\xDF\xA3/],
  ['ogg', /^OggS/],
  ['wave', /^RIFF[^]{4}WAVE/],
  ['avi', /^RIFF[^]{4}AVI /],
  ['mpeg', /^\0\0\x01[\xB3\xBA]/],
  ['mp3', /^(?:ID3|\xFF[\xE2\xE3\xF2\xF3\xFA\xFB])/],
  ['aac', /^\xFF[\xF0\xF1\xF8\xF9]/],
  ['flac', /^fLaC/],
  ['midi', /^MThd/],
  ['asf', /^0&\xB2u\x8Ef\xCF\x11/],
  ['pdf', /^%PDF-/],
  ['zip', /^PK(?:\x03\x04|\x05\x06)/],
  ['compound', /^\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1/],
  ['gzip', /^\x1F\x8B/],
  ['rar', /^Rar!\x1A\x07/],
  ['7z', /^7z\xBC\xAF'\x1C/],
  ['tar', /^[^]{257}ustar/],
  ['rtf', /^\{\\rtf/],
]
/* oxlint-enable no-control-regex */

/** Detects the format of a file; null if the bytes match none or are markup. */
function familyOf(data: Buffer): Family | null {
  const head = data.toString('latin1', 0, 512)
  const signed = SIGNATURES.find(([, begins]) => begins.test(head))
  if (signed !== undefined) return signed[0]
  return data.includes(0) || MARKUP_START.test(data.toString('utf8', 0, 1024)) ? null : 'text'
}
