import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  IMAGE_SIZE_INVALID: (plugin: string, name: string, why: string) =>
    `${plugin} registers the image size ${name} wrongly: it ${sentence(why)}`,
  UPLOADS_NOT_WRITABLE: [
    500,
    (folder: string, why: string) =>
      `No files can be kept in the uploads folder ${folder}: ${why}. Give the account of the server the right to write there, or choose another folder with --uploads.`,
  ],
  rest_upload_no_data: [400, 'No file was sent: send one as the body, or as the field file of a multipart form.'],
  rest_upload_no_content_type: [400, 'The request does not say the type of the file: send a Content-Type header.'],
  rest_upload_no_content_disposition: [
    400,
    'The request does not say the name of the file: send a Content-Disposition header.',
  ],
  rest_upload_invalid_disposition: [
    400,
    'The Content-Disposition header names no file: write it as attachment; filename="photo.jpg".',
  ],
  rest_upload_hash_mismatch: [412, 'The file does not match the Content-MD5 header: send it again.'],
  rest_upload_sideload_error: [400, (why: string) => `The file cannot be uploaded: ${why}.`],
  rest_upload_too_many_pixels: [
    400,
    (most: number) => `The image has more than the ${most} pixels allowed here: make it smaller.`,
  ],
  rest_upload_unknown_error: [500, 'The file could not be stored. The log names the reason under the request ID.'],
})
