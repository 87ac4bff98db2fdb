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
  rest_invalid_url: [400, 'The URL cannot be asked: give one of a public site, with http or https.'],
  rest_cannot_edit_image: [403, 'You may not edit images.'],
  rest_cannot_read_usage: [403, 'You may not see where files are used.'],
  rest_unknown_attachment: [404, 'src is no URL of this attachment.'],
  rest_cannot_edit_file_type: [400, 'Only images can be edited: JPEG, PNG, GIF, WebP and AVIF.'],
  rest_image_not_edited: [400, 'Nothing was changed: give modifiers, rotation, or width and height.'],
  rest_image_crop_failed: [400, 'There is nothing of the image in this crop.'],
  rest_upload_invalid_image: [400, 'The file is no image that can be used here.'],
  rest_upload_dimension_mismatch: [
    400,
    (size: string, width: number, height: number) =>
      `The image is ${width} × ${height} pixels: that is larger than the size ${size}.`,
  ],
  rest_upload_unknown_size: [400, (size: string) => `There is no size ${size}.`],
  rest_invalid_sub_size_file: [400, 'This file was not sent for this attachment.'],
  rest_image_replaced: [409, 'Another image has taken the place of this one meanwhile: ask again.'],
  rest_too_many_files: [400, (most: number) => `An attachment has ${most} files at most.`],
  rest_sideload_attachment_not_in_uploads: [403, 'The file of this attachment is not in the uploads folder.'],
  rest_file_gone: [404, 'The file has just been deleted.'],
  rest_post_invalid_id: [404, 'No attachment with this ID.'],
  rest_upload_unknown_error: [500, 'The file could not be stored. The log names the reason under the request ID.'],
})
