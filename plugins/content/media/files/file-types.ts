import mime from 'mime'

/** MIME types by the ending of names, in lower case and without the dot. */
export type FileTypes = Readonly<Record<string, string>>

/** What a file begins with, by the family that it says something about. */
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

/** What users may upload: the ending of the name, the MIME type, and what the file must hold. */
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

/** What may be uploaded, before plugins have their say. */
export const DEFAULT_TYPES: FileTypes = Object.freeze(
  Object.fromEntries(KINDS.flatMap(([endings, type]) => endings.split(' ').map((ending) => [ending, type]))),
)

/** What a file is taken for. */
export interface FileKind {
  /** How its name has to end, without the dot. */
  ending: string
  type: string
}

/**
 * Finds the type of a file by its name and its bytes, which have to agree; for an image the bytes decide. The bytes of
 * types that plugins add are not checked.
 * @param ending of its name, in lower case; '' without any
 * @param types what the user may upload
 * @returns the kind, or why it is not taken
 */
export function kindOf(ending: string, data: Buffer, types: FileTypes): FileKind | string {
  const listed = Object.hasOwn(types, ending) ? types[ending] : undefined
  if (listed !== undefined && listed !== DEFAULT_TYPES[ending]) return { ending, type: listed }
  const held = familyOf(data)
  const wanted = listed === undefined ? undefined : FAMILIES.get(ending)
  if (imageEnding(held) !== undefined && (ending === '' || imageEnding(wanted) !== undefined)) {
    const right = held === wanted ? ending : imageEnding(held)!
    const type = Object.hasOwn(types, right) ? types[right] : undefined
    return type === undefined ? notAllowed(right) : (refusedMixture(data) ?? { ending: right, type })
  }
  if (listed === undefined) return ending === '' ? 'give its name an ending that tells what it is' : notAllowed(ending)
  return held === wanted ? { ending, type: listed } : `what it holds is not what its name says (.${ending})`
}

/** The type of a stored file by the ending of its name; undefined for an ending that not every author may upload. */
export function typeOfName(name: string): string | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1)
  return Object.hasOwn(DEFAULT_TYPES, ending) ? DEFAULT_TYPES[ending] : undefined
}

/** What a file is taken for whose type nobody asks about. */
export function anyKind(ending: string): FileKind {
  return { ending, type: mime.getType(`.${ending}`) ?? 'application/octet-stream' }
}

function notAllowed(ending: string): string {
  return `files that end in .${ending} are not allowed`
}

/** How names of images end; a family that is not here is no image. */
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

/** Why an image is refused that is something else as well: a page, a program, an archive; null when it is none. */
function refusedMixture(data: Buffer): string | null {
  const archive = data.lastIndexOf('PK\u0005\u0006')
  const isArchive = archive >= 0 && data.length - archive <= ARCHIVE_END
  const isDocument = data.subarray(0, 1024).includes('%PDF-')
  if (isArchive || isDocument) return 'it is an image and something else at the same time'
  for (let start = 0; start < data.length; start += PIECE_BYTES) {
    // Pieces overlap, so that no mark is cut in two.
    if (MARKUP.test(data.toString('latin1', start, start + PIECE_BYTES + 16)))
      return 'there is a page or a program in the image'
  }
  return null
}

/** Bytes from the last mark of an archive to its end, the longest comment included. */
const ARCHIVE_END = 22 + 65_535
const PIECE_BYTES = 1 << 20
const MARKUP = /<(?:script[\s>/]|\?php|!doctype|html[\s>]|iframe[\s>])/i

/** A text that browsers and programs would take for markup; a byte order mark is white space to `\s`. */
const MARKUP_START = /^\s*<[a-z!?/]/i

/* oxlint-disable no-control-regex -- bytes are what it is about */
/** Tests of the first bytes, as characters. */
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

/** What the bytes of a file say that it is; null when they say nothing, or that it is markup. */
function familyOf(data: Buffer): Family | null {
  const head = data.toString('latin1', 0, 512)
  const signed = SIGNATURES.find(([, begins]) => begins.test(head))
  if (signed !== undefined) return signed[0]
  return data.includes(0) || MARKUP_START.test(data.toString('utf8', 0, 1024)) ? null : 'text'
}
