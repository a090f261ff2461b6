/**
 * Code samples of `POST /api/v1/compress` in five languages. Each sets an option, tries up to five times, waiting as long as
 * `Retry-After` says while the service is busy or the account is over its limit, and writes the image to a file.
 */
import { EXAMPLE_KEY, EXAMPLE_ORIGIN, type CodeSample } from '../../contract/code-samples';

const URL = `${EXAMPLE_ORIGIN}/api/v1/compress?quality=medium`;

/** `--retry` obeys Retry-After. `grep` leaves out the image of an earlier call. */
const CURL = `curl "${URL}" \\
  -H "Authorization: Bearer ${EXAMPLE_KEY}" \\
  -F image=@photo.jpg -o smaller.jpg \\
  -sS --retry 4 --fail-with-body \\
  || grep -as '"detail"' smaller.jpg`;

const JAVASCRIPT = `import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const form = new FormData();
form.append('image', await openAsBlob('photo.jpg'), 'photo.jpg');

let response;
for (let attempt = 1; attempt <= 5; attempt++) {
  response = await fetch('${URL}', {
    method: 'POST',
    headers: { Authorization: 'Bearer ${EXAMPLE_KEY}' },
    body: form,
  });
  if (response.status !== 429 && response.status !== 503) break;
  await wait(1000 * Number(response.headers.get('Retry-After') ?? 5));
}
if (!response.ok) throw new Error((await response.json()).detail);
await writeFile('smaller.jpg', Buffer.from(await response.arrayBuffer()));
console.log(response.headers.get('X-Bytes-Saved'), 'bytes saved');`;

const PYTHON = `import time

import requests

image = open("photo.jpg", "rb").read()
for attempt in range(5):
    response = requests.post(
        "${URL}",
        headers={"Authorization": "Bearer ${EXAMPLE_KEY}"},
        files={"image": image},
    )
    if response.status_code not in (429, 503):
        break
    time.sleep(int(response.headers.get("Retry-After", 5)))
if not response.ok:
    raise SystemExit(response.json()["detail"])
open("smaller.jpg", "wb").write(response.content)
print(response.headers["X-Bytes-Saved"], "bytes saved")`;

const PHP = `<?php
for ($attempt = 1; $attempt <= 5; $attempt++) {
    $headers = [];
    $curl = curl_init('${URL}');
    curl_setopt_array($curl, [
        CURLOPT_HTTPHEADER => ['Authorization: Bearer ${EXAMPLE_KEY}'],
        CURLOPT_POSTFIELDS => ['image' => new CURLFile('photo.jpg')],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HEADERFUNCTION => function ($curl, $line) use (&$headers) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower($name)] = trim($value);
            return strlen($line);
        },
    ]);
    $body = curl_exec($curl);
    if ($body === false) throw new RuntimeException(curl_error($curl));
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    if ($status !== 429 && $status !== 503) break;
    sleep((int) ($headers['retry-after'] ?? 5));
}
if ($status !== 200) throw new RuntimeException(json_decode($body)->detail);
file_put_contents('smaller.jpg', $body);
echo $headers['x-bytes-saved'], " bytes saved\\n";`;

const GO = `package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"
	"time"
)

func main() {
	image, err := os.ReadFile("photo.jpg")
	check(err)
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("image", "photo.jpg")
	check(err)
	part.Write(image)
	writer.Close()

	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest("POST", "${URL}", bytes.NewReader(form.Bytes()))
		check(err)
		request.Header.Set("Authorization", "Bearer ${EXAMPLE_KEY}")
		request.Header.Set("Content-Type", writer.FormDataContentType())
		response, err := http.DefaultClient.Do(request)
		check(err)
		body, err := io.ReadAll(response.Body)
		check(err)
		response.Body.Close()
		status := response.StatusCode
		if (status == 429 || status == 503) && attempt < 5 {
			seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
			time.Sleep(time.Duration(seconds) * time.Second)
			continue
		}
		if status != 200 {
			log.Fatal(string(body))
		}
		check(os.WriteFile("smaller.jpg", body, 0o644))
		fmt.Println(response.Header.Get("X-Bytes-Saved"), "bytes saved")
		return
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}`;

export const COMPRESS_SAMPLES: readonly CodeSample[] = [
  { lang: 'Shell', label: 'curl', source: CURL },
  { lang: 'JavaScript', label: 'JavaScript (fetch)', source: JAVASCRIPT },
  { lang: 'Python', label: 'Python (requests)', source: PYTHON },
  { lang: 'PHP', label: 'PHP (curl)', source: PHP },
  { lang: 'Go', label: 'Go', source: GO },
];
