import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `fonts`. */
export const errors = defineErrors({
  rest_cannot_read: [403, 'You may not see fonts: you may not edit the theme.'],
  rest_cannot_create: [403, 'You may not add fonts: you may not edit the theme.'],
  rest_cannot_edit: [403, 'You may not change fonts: you may not edit the theme.'],
  rest_cannot_delete: [403, 'You may not delete fonts: you may not edit the theme.'],
  rest_post_invalid_id: [404, 'No font with this ID.'],
  rest_post_invalid_parent: [404, 'No font family with this ID.'],
  rest_font_face_parent_id_mismatch: [404, 'This face is of another font family.'],
  rest_post_invalid_page_number: [400, 'The list of fonts has fewer pages than that.'],
  rest_duplicate_font_family: [400, (slug: string) => `There is a font family with the slug "${slug}".`],
  rest_duplicate_font_face: [400, 'The font family has a face of this style, weight and range.'],
  rest_font_upload_invalid_file_type: [400, 'This is no font: upload files of the types woff2, woff, ttf or otf.'],
  rest_font_upload_too_large: [413, (bytes: number) => `A font file may have ${bytes} bytes at most.`],
  rest_font_collection_not_found: [404, 'No font collection with this slug.'],
  FONT_COLLECTION_INVALID: (slug: string) =>
    `The font collection "${slug}" needs a slug of small letters, digits and "-", and a name.`,
})
