import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../helpers/accessibility.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { addPosts } from '../../../helpers/content.ts'
import { logInByKeyboard } from '../../../helpers/log-in.ts'
import { assertFits } from '../../../helpers/page-width.ts'
import { as } from '../../../helpers/site.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { siteWithGroups } from './admin-site.ts'

const fields = suite('custom fields in a browser')
const { inBrowser, openWindow } = useChromium(fields)

inBrowser('are defined on the page of a group, which refuses wrong names', async () => {
  await using place = await filePlace()
  await using site = await siteWithGroups(place, [])
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/custom-fields`, 'admin')
  await page.getByRole('link', { name: 'Add field group' }).click()
  await page.getByLabel('Title').fill('Facts')
  await page.getByRole('button', { name: 'Add field' }).click()
  await page.getByLabel('Label').fill('Colour')
  await page.getByLabel('Name').fill('my colour')
  await page.getByLabel('Type').selectOption('select')
  await page.getByRole('button', { name: /^Apply type/ }).click()
  await page.getByLabel('Choices').fill('red : Red\nblue : Blue')
  assert.equal(await accessibilityFindings(page), [])
  await assertFits(page, 320)
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Use letters, digits').waitFor()
  assert.equal(await accessibilityFindings(page), [])
  assert.is(await page.getByLabel('Choices').inputValue(), 'red : Red\nblue : Blue')
  await page.getByLabel('Name').fill('colour')
  // The Enter key saves the form.
  await page.getByLabel('Name').press('Enter')
  await page.locator('#notices').getByText('Saved.').waitFor()
  await page.locator('summary').getByText('Colour (select)').waitFor()
  await page.getByRole('link', { name: '← Back to list' }).click()
  assert.equal(await accessibilityFindings(page), [])
  page.once('dialog', (dialog) => void dialog.accept())
  await page.getByRole('button', { name: 'Delete Facts' }).click()
  await page.getByText('No field groups yet.').waitFor()
  // The refused form is a response with the status 400, which the browser logs.
  assert.equal(
    window.complaints.filter((text) => !text.includes('400')),
    [],
  )
})

inBrowser('are filled in the editor of a post, with errors at the fields', async () => {
  await using place = await filePlace()
  await using site = await siteWithGroups(place, [
    {
      key: 'group_plants',
      fields: [
        { name: 'height', type: 'number', key: 'field_height', max: 10, instructions: 'In metres.' },
        { name: 'colours', type: 'checkbox', key: 'field_colours', choices: { red: 'Red', blue: 'Blue' } },
        { name: 'photo', type: 'file', key: 'field_photo' },
        { name: 'related', type: 'relationship', key: 'field_related' },
        { name: 'planted', type: 'date_picker', key: 'field_planted' },
        {
          name: 'notes',
          type: 'repeater',
          key: 'field_notes',
          sub_fields: [{ name: 'note', type: 'text', key: 'field_note' }],
        },
      ],
    },
  ])
  const photo = {
    type: 'attachment',
    status: 'inherit',
    title: 'A photo',
    mime_type: 'application/pdf',
    meta: { _attached_file: 'a.pdf' },
  }
  const [id, photoId] = await addPosts(site.store, { title: 'Rose' }, photo)
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'admin')
  const panel = page.getByRole('region', { name: 'Fields', exact: true })
  await panel.getByLabel('Red').check()
  await panel.getByLabel('planted').fill('2024-03-15')
  await panel.getByLabel('related').fill('999999')
  await panel.getByRole('button', { name: 'photo Select file' }).click()
  await page.getByRole('option', { name: 'A photo' }).click()
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  await panel.getByText('A photo').waitFor()
  await panel.getByRole('textbox', { name: 'note' }).fill('Water it')
  assert.equal(await accessibilityFindings(page), [])
  await assertFits(page, 320)
  const save = page.getByRole('button', { name: 'Update' }).or(page.getByRole('button', { name: 'Save', exact: true }))
  await save.first().click()
  await page.getByText('must have a valid post ID').first().waitFor()
  assert.equal(await accessibilityFindings(page), [])
  assert.ok(await panel.getByLabel('Red').isChecked())
  // The page of the refused form shows the selected file.
  await panel.getByText('A photo').waitFor()
  await panel.getByLabel('related').fill(String(id))
  await save.first().click()
  await page.locator('#notices').getByText('Saved.').waitFor()
  const { acf } = await site.json(`/svc/v2/posts/${id}?context=edit`, as('administrator'))
  assert.equal(acf, {
    height: '',
    colours: ['red'],
    photo: photoId,
    related: [id],
    planted: '20240315',
    notes: [{ note: 'Water it' }],
  })
  assert.equal(
    window.complaints.filter((text) => !text.includes('400')),
    [],
  )
})

fields.run()
