// Just enough PDF to have documents in the tests.

/** A document of so many pages, each with its number on it, that every viewer opens. */
export function pdf(pages) {
  const objects = ['<</Type/Catalog/Pages 2 0 R>>', '']
  const kids = []
  for (let page = 1; page <= pages; page++) {
    const text = `BT /F1 24 Tf 72 720 Td (Page ${page}) Tj ET`
    kids.push(`${objects.length + 1} 0 R`)
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${objects.length + 2} 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>`,
      `<</Length ${text.length}>>\nstream\n${text}\nendstream`,
    )
  }
  objects[1] = `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${pages}>>`
  let body = '%PDF-1.7\n'
  const at = objects.map((object, i) => {
    const start = body.length
    body += `${i + 1} 0 obj\n${object}\nendobj\n`
    return start
  })
  const index = at.map((n) => `${String(n).padStart(10, '0')} 00000 n \n`).join('')
  return Buffer.from(
    `${body}xref\n0 ${at.length + 1}\n0000000000 65535 f \n${index}trailer\n<</Size ${at.length + 1}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`,
  )
}
