import { graphicPng } from '../support/images';
import { startService } from '../support/service';
import { postgresUrl, withFreshDatabase } from '../support/services';

const postgres = postgresUrl() ?? '';

(postgres ? it : it.skip)('signs up, compresses and revokes a key on PostgreSQL', async () => {
  await withFreshDatabase(postgres, async (url) => {
    const service = await startService({ DATABASE_URL: url });
    const { apiKey, keyId } = await service.signUp();
    const headers = { 'X-API-Key': apiKey };
    expect((await service.compress(graphicPng(64, 64), apiKey)).status).toBe(200);
    const account = (await (await fetch(`${service.url}/api/v1/account`, { headers })).json()) as object;
    expect(account).toMatchObject({ usage: { images: 1 } });
    await fetch(`${service.url}/api/v1/account/keys/${keyId}`, { method: 'DELETE', headers });
    expect((await service.compress(graphicPng(64, 64), apiKey)).status).toBe(401);
    expect(await service.stop()).toBe(0);
  });
});
