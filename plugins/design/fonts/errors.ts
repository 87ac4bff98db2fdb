import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `fonts`. */
export const errors = defineErrors({
  rest_cannot_read: [403, 'Sorry, you are not allowed to view fonts.'],
  rest_cannot_create: [403, 'Sorry, you are not allowed to add fonts.'],
  rest_cannot_edit: [403, 'Sorry, you are not allowed to edit fonts.'],
  rest_cannot_delete: [403, 'Sorry, you are not allowed to delete fonts.'],
  rest_post_invalid_id: [404, 'No font with this ID.'],
  rest_post_invalid_parent: [404, 'No font family with this ID.'],
  rest_font_face_parent_id_mismatch: [404, 'The font face belongs to another font family.'],
  rest_post_invalid_page_number: [400, 'The page number is larger than the number of pages of fonts.'],
  rest_duplicate_font_family: [400, (slug: string) => `A font family with the slug "${slug}" already exists.`],
  rest_duplicate_font_face: [400, 'The font family already has a face with this style, weight, stretch and range.'],
  rest_font_upload_invalid_file_type: [400, 'The file is not a font: upload a woff2, woff, ttf or otf file.'],
  rest_font_upload_too_large: [413, (bytes: number) => `The font file is larger than ${bytes} bytes.`],
  rest_font_collection_not_found: [404, 'No font collection with this slug.'],
  FONT_COLLECTION_INVALID: (slug: string) =>
    `The font collection "${slug}" needs a name, a list of font families, and a slug of lower-case letters, digits and "-".`,
})
