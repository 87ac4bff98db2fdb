import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

/** A file of an archive; its path uses slashes. */
export interface ArchivedFile {
  readonly name: string
  readonly data: Buffer
}

const deflated = promisify(deflateRaw)

/** Signatures of the archive sections (APPNOTE 4.3), and the fields common to all files. */
const LOCAL_HEADER_MARK = 0x04034b50
const CENTRAL_HEADER_MARK = 0x02014b50
const END_RECORD_MARK = 0x06054b50
const ZIP_VERSION = 20
const UTF8_NAMES = 0x0800
const DEFLATE_METHOD = 8
/** 1980-01-01, the first date of the format: exported files have no date. */
const DOS_DATE = 0x0021

/** Returns a zip archive. Limited to 65,535 files and 4 GB, because it does not use Zip64. */
export async function zipOf(files: readonly ArchivedFile[]): Promise<Buffer> {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, data } of files) {
    const packed = await deflated(data)
    const path = Buffer.from(name, 'utf8')
    const about = Buffer.alloc(26)
    about.writeUInt16LE(ZIP_VERSION, 0)
    about.writeUInt16LE(UTF8_NAMES, 2)
    about.writeUInt16LE(DEFLATE_METHOD, 4)
    about.writeUInt16LE(DOS_DATE, 8)
    about.writeUInt32LE(crc32(data), 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(data.length, 18)
    about.writeUInt16LE(path.length, 22)
    const local = [mark(LOCAL_HEADER_MARK), about, path, packed]
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(CENTRAL_HEADER_MARK, 0)
    entry.writeUInt16LE(ZIP_VERSION, 4)
    about.copy(entry, 6)
    entry.writeUInt32LE(offset, 42)
    directory.push(entry, path)
    parts.push(...local)
    offset += local.reduce((sum, { length }) => sum + length, 0)
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END_RECORD_MARK, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...directory, end])
}

function mark(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
