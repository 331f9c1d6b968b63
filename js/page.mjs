// Opens a page in a headless browser at the widths of a phone and of a desktop. The page must fit, and
// write no error. Prints its texts as JSON.
//
//   node page.mjs BROWSER PAGE NAME [FOLDER FOR SCREENSHOTS]
import { Browser, Page } from "./devtools.mjs";

const [program, file, name, folder] = process.argv.slice(2);
const browser = new Browser(program);
try {
  const texts = [];
  for (const width of [390, 1280]) {
    const page = await Page.open(browser, file, { width });
    await page.screenshot(folder, `${name}-${width}`);
    await page.fine();
    texts.push(await page.run(() => document.body.innerText));
  }
  console.log(JSON.stringify(texts));
} finally {
  await browser.close();
}
