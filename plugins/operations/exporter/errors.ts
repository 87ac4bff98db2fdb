import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  EXPORT_TYPE_UNKNOWN: [
    400,
    (type: string, types: string) => `The site has no items of the type "${type}". Types with items: ${types}.`,
  ],
  EXPORT_AUTHOR_UNKNOWN: [400, (login: string) => `The site has no user with the login "${login}".`],
  EXPORT_CATEGORY_UNKNOWN: [400, (slug: string) => `The site has no category with the slug "${slug}".`],
  EXPORT_DATE_INVALID: [400, (value: string) => `"${value}" is not a date. Write it as 2025-06-30.`],
  EXPORT_SIZE_INVALID: [400, (value: string) => `"${value}" is not a size. Write it as 50mb, 800kb or 1gb.`],
  EXPORT_SIZE_TOO_SMALL: [
    400,
    (size: number, needed: number) =>
      `Files of ${size} bytes are too small: the authors and terms, which every file contains, take ${needed} bytes. Set a larger maximum.`,
  ],
  EXPORT_UPLOADS_FORMAT: [
    400,
    (name: string) => `The media files cannot be written to ${name}: name a .tar, .tar.gz, .tgz or .zip file.`,
  ],
})
